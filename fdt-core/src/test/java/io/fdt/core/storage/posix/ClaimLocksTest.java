package io.fdt.core.storage.posix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Two processes of one server see what sessions of the other write; here, both are in one. */
class ClaimLocksTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private final ClaimLocks here = new ClaimLocks();

    private ClaimLocks other() throws IOException {
        here.share();
        return ClaimLocks.joined(here.forAnother());
    }

    @Test
    void aFileIsSeenByTheOtherProcessUntilItIsReleased() throws IOException {
        ClaimLocks there = other();
        int session = there.begin(SECOND);
        for (long hash : new long[] {0, 7, 0x123456789abcdef0L, Long.MIN_VALUE, -1}) {
            assertThat(here.other(hash)).isEqualTo(ClaimLocks.NONE);
            there.take(session, hash);
            assertThat(here.other(hash)).isEqualTo(session);
            assertThat(here.other(hash + ClaimLocks.FILES)).isEqualTo(ClaimLocks.NONE);
            assertThat(there.other(hash)).as("what a process has itself").isEqualTo(ClaimLocks.NONE);
            there.release(session, hash);
            assertThat(here.other(hash)).isEqualTo(ClaimLocks.NONE);
        }
    }

    /** Each of them sees that exactly one is the older one, also if they began at the same time. */
    @Test
    void theOlderSessionIsTheSameOneForBoth() throws IOException {
        ClaimLocks there = other();
        for (long[] nanos : new long[][] {{SECOND, 2 * SECOND}, {2 * SECOND, SECOND}, {SECOND, SECOND}}) {
            int ours = here.begin(nanos[0]);
            int theirs = there.begin(nanos[1]);
            boolean theirsIsOlder = here.isOlder(theirs, ours);
            assertThat(there.isOlder(ours, theirs)).isNotEqualTo(theirsIsOlder);
            if (nanos[0] != nanos[1]) {
                assertThat(theirsIsOlder).isEqualTo(nanos[1] < nanos[0]);
            }
            there.end(theirs);
            assertThat(here.isOlder(theirs, ours)).as("one that has ended").isFalse();
            here.end(ours);
        }
    }

    @Test
    void aSessionThatIsWantedKnowsUntilTheOtherGivesUp() throws IOException {
        ClaimLocks there = other();
        int ours = here.begin(SECOND);
        int theirs = there.begin(2 * SECOND);
        int next = there.begin(2 * SECOND);
        assertThat(there.isWanted(theirs)).isFalse();
        here.want(ours, theirs);
        assertThat(there.isWanted(theirs)).isTrue();
        assertThat(there.isWanted(next)).isFalse();
        assertThat(here.isWanted(ours)).isFalse();
        here.unwant(ours, theirs);
        assertThat(there.isWanted(theirs)).isFalse();
    }

    @Test
    void manySessionsOfManyProcessesHaveNumbersOfTheirOwn() throws IOException {
        List<Integer> sessions = new ArrayList<>();
        for (ClaimLocks each : List.of(other(), other(), here)) {
            for (int i = 0; i < 1024; i++) {
                sessions.add(each.begin(SECOND));
            }
            assertThat(each.begin(SECOND)).isEqualTo(ClaimLocks.NONE);
        }
        assertThat(sessions).doesNotHaveDuplicates().doesNotContain(ClaimLocks.NONE);
        here.end(sessions.get(2 * 1024 + 5));
        assertThat(here.begin(SECOND)).isEqualTo(sessions.get(2 * 1024 + 5));
    }

    @Test
    void whatWasTakenBeforeIsShownAsSoonAsAnotherProcessShares() throws IOException {
        here.whenShared(() -> here.take(here.begin(SECOND), 42));
        assertThat(here.isShared()).isFalse();
        assertThat(other().other(42)).isNotEqualTo(ClaimLocks.NONE);
    }
}
