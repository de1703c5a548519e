package io.fdt.core.storage.posix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two processes of one server see what sessions of the other write; here, both are in one. */
class ClaimLocksTest {
    private final ClaimLocks here = new ClaimLocks();

    private ClaimLocks other() throws IOException {
        here.share();
        return ClaimLocks.joined(here.forAnother());
    }

    @Test
    void aFileIsSeenByTheOtherProcessUntilItIsReleased() throws IOException {
        ClaimLocks there = other();
        int session = there.begin("s");
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

    /** Each of them sees that exactly one has the higher rank, also if both show the same. */
    @Test
    void theHigherRankIsTheSameOneForBoth() throws IOException {
        ClaimLocks there = other();
        for (long[] rank : new long[][] {{5, 6}, {6, 5}, {5, 5}, {0, Long.MAX_VALUE}}) {
            int ours = here.begin("s");
            int theirs = there.begin("s");
            here.want(ours, theirs, rank[0]);
            assertThat(here.outranks(theirs, ours)).as("one that shows nothing").isFalse();
            there.want(theirs, ours, rank[1]);
            boolean theirsIsHigher = here.outranks(theirs, ours);
            assertThat(there.outranks(ours, theirs)).isNotEqualTo(theirsIsHigher);
            if (rank[0] != rank[1]) {
                assertThat(theirsIsHigher).isEqualTo(rank[1] > rank[0]);
            }
            there.end(theirs);
            assertThat(here.outranks(theirs, ours)).as("one that has ended").isFalse();
            here.end(ours);
        }
    }

    @Test
    void aSessionThatIsWantedKnowsUntilTheOtherGivesUp() throws IOException {
        ClaimLocks there = other();
        int ours = here.begin("s");
        int theirs = there.begin("s");
        int next = there.begin("s");
        assertThat(there.wantedBy(theirs)).isEqualTo(ClaimLocks.NONE);
        here.want(ours, theirs, 1);
        assertThat(there.wantedBy(theirs)).isEqualTo(ours);
        assertThat(there.isWantedBy(theirs, ours)).isTrue();
        assertThat(there.isWantedBy(theirs, ours + 1)).isFalse();
        assertThat(there.wantedBy(next)).isEqualTo(ClaimLocks.NONE);
        assertThat(here.wantedBy(ours)).isEqualTo(ClaimLocks.NONE);
        here.unwant(ours, theirs);
        assertThat(there.wantedBy(theirs)).isEqualTo(ClaimLocks.NONE);
    }

    @Test
    void manySessionsOfManyProcessesHaveNumbersOfTheirOwn() throws IOException {
        List<Integer> sessions = new ArrayList<>();
        for (ClaimLocks each : List.of(other(), other(), here)) {
            for (int i = 0; i < 1024; i++) {
                sessions.add(each.begin("s"));
            }
            assertThat(each.begin("s")).isEqualTo(ClaimLocks.NONE);
        }
        assertThat(sessions).doesNotHaveDuplicates().doesNotContain(ClaimLocks.NONE);
        here.end(sessions.get(2 * 1024 + 5));
        assertThat(here.begin("s")).isEqualTo(sessions.get(2 * 1024 + 5));
    }

    @Test
    void whatWasTakenBeforeIsShownAsSoonAsAnotherProcessShares() throws IOException {
        here.whenShared(() -> here.take(here.begin("s"), 42));
        assertThat(here.isShared()).isFalse();
        assertThat(other().other(42)).isNotEqualTo(ClaimLocks.NONE);
    }

    @Test
    void aSessionOfAnotherProcessHasItsName() throws IOException {
        ClaimLocks there = other();
        int first = there.begin("the key ann (session 1)");
        int second = there.begin("ü".repeat(1000));
        assertThat(here.nameOf(first)).isEqualTo("the key ann (session 1)");
        assertThat(here.nameOf(second)).isEqualTo("ü".repeat(64));
        assertThat(here.nameOf(second + 1)).isEmpty();
    }
}
