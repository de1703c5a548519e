package io.fdt.core.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.Cause;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class AccountTest {
    private static final long LONG_MS = 600_000;

    private final Accounts several = new Accounts(Map.of(Resource.HEAP, 1_000L), () -> true);
    private final Accounts single = new Accounts(Map.of(Resource.HEAP, 1_000L), () -> false);

    private static long most(Account account) {
        long taken = 0;
        while (account.tryTake(Resource.HEAP, 1)) {
            taken++;
        }
        return taken;
    }

    @Test
    void aKeyLeavesToOthersAsMuchAsItHolds() {
        long greedy = 0;
        for (int session = 0; session < 50; session++) {
            greedy += most(several.open("greedy"));
        }
        assertThat(greedy).isBetween(490L, 500L);
        assertThat(most(several.open("honest"))).isBetween(120L, 130L);
    }

    @Test
    void aSessionLeavesToOthersOfItsKeyAsMuchAsItHolds() {
        assertThat(most(single.open("key"))).isEqualTo(500);
        assertThat(most(single.open("key"))).isEqualTo(250);
        assertThat(most(single.open("key"))).isEqualTo(125);
    }

    @Test
    void failureNamesTheResourceThatIsUsedUp() {
        Account account = single.open("key");
        most(account);
        assertThatThrownBy(() -> account.take(Resource.HEAP, 1))
                .hasMessageContaining("Java heap (java -Xmx)")
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.LIMIT));
    }

    @Test
    void closingGivesEverythingBackOnce() {
        Account account = several.open("greedy");
        long before = most(account);
        account.close();
        assertThat(account.tryTake(Resource.HEAP, 1)).isFalse();
        // What is given back late was given back already.
        account.give(Resource.HEAP, before);
        account.close();
        assertThat(most(several.open("greedy"))).isEqualTo(before);
        assertThat(account.held(Resource.HEAP)).isZero();
    }

    @Test
    void theEndOfASessionEndsItsWaits() throws InterruptedException {
        Account account = single.open("key");
        most(account);
        Thread waiting = new Thread(
                () -> assertThat(account.awaitRoom(Resource.HEAP, 1, LONG_MS)).isFalse());
        waiting.start();
        while (waiting.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        account.end(Cause.INTERRUPTED.failure("over"));
        assertThatThrownBy(account::requireOpen).hasMessage("over");
        waiting.join();
    }

    @Test
    void whatAnotherSessionGivesBackEndsAWait() throws InterruptedException {
        Account first = single.open("key");
        Account second = single.open("key");
        most(first);
        most(second);
        Thread waiting = new Thread(
                () -> assertThat(second.awaitRoom(Resource.HEAP, 100, LONG_MS)).isTrue());
        waiting.start();
        while (waiting.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        first.give(Resource.HEAP, 500);
        waiting.join();
        assertThat(second.held(Resource.HEAP)).isEqualTo(350);
    }

    @Test
    void everySessionMayHaveAFewDescriptorsAsLongAsItsKeyHasAny() {
        Accounts descriptors = new Accounts(Map.of(Resource.DESCRIPTORS, 100L), () -> true);
        for (int session = 0; session < 3; session++) {
            assertThat(descriptors.open("key").tryTake(Resource.DESCRIPTORS, 16))
                    .isTrue();
        }
        assertThat(descriptors.open("key").tryTake(Resource.DESCRIPTORS, 16)).isFalse();
        assertThat(descriptors.open("key").tryTake(Resource.DESCRIPTORS, 2)).isTrue();
        assertThat(descriptors.open("other").tryTake(Resource.DESCRIPTORS, 16)).isTrue();
    }

    @Test
    void whatIsGrantedLeavesRoomForAFewDescriptors() {
        Accounts descriptors = new Accounts(Map.of(Resource.DESCRIPTORS, 512L), () -> true);
        Account session = descriptors.open("key");
        assertThat(session.takePieces(Resource.DESCRIPTORS, 64, 64, 4)).isEqualTo(60);
        assertThat(session.tryTake(Resource.DESCRIPTORS, 16)).isTrue();
    }

    @Test
    void halfOfWhatASessionMayHaveIsForWhatItNeeds() {
        Account account = single.open("key");
        assertThat(account.hasSpare(Resource.HEAP, 250)).isTrue();
        assertThat(account.hasSpare(Resource.HEAP, 251)).isFalse();
        assertThat(account.tryTake(Resource.HEAP, 251)).isTrue();
    }

    @Test
    void whatStillExistsAfterASessionStaysCharged() {
        Accounts descriptors = new Accounts(Map.of(Resource.DESCRIPTORS, 100L), () -> true);
        Account session = descriptors.open("key");
        session.take(Resource.DESCRIPTORS, 5);
        session.takeLasting(Resource.DESCRIPTORS);
        session.close();
        session.give(Resource.DESCRIPTORS, 5);
        assertThat(descriptors.heldBy("key", Resource.DESCRIPTORS)).isEqualTo(1);
        session.giveBack(Resource.DESCRIPTORS);
        assertThat(descriptors.heldBy("key", Resource.DESCRIPTORS)).isZero();
    }

    @Test
    void grantsWhatIsUsefulOnlyWhileMuchIsFree() {
        // A quarter of the 460 that are free above half.
        assertThat(single.open("key").takePieces(Resource.HEAP, 4, 64, 10)).isEqualTo(4 + 11);
        assertThat(single.open("key").takePieces(Resource.HEAP, 4, 64, 10)).isEqualTo(4 + 7);
        for (int session = 0; session < 10; session++) {
            assertThat(single.open("key").takePieces(Resource.HEAP, 4, 64, 10)).isGreaterThanOrEqualTo(4);
        }
    }

    @Test
    void grantsWhatIsNeededUntilNothingIsFree() {
        Account account = single.open("key");
        assertThat(account.takePieces(Resource.HEAP, 60, 60, 10)).isEqualTo(60);
        assertThat(account.takePieces(Resource.HEAP, 30, 64, 10)).isEqualTo(30);
        assertThat(account.takePieces(Resource.HEAP, 30, 64, 10)).isEqualTo(10);
        assertThat(account.takePieces(Resource.HEAP, 1, 64, 10)).isZero();
        account.close();
        assertThat(single.open("key").takePieces(Resource.HEAP, 1, 2, 10)).isEqualTo(2);
    }
}
