package io.fdt.core.transfer.receiving;

import static io.fdt.core.transport.Schedules.require;
import static io.fdt.core.transport.Schedules.together;

import io.fdt.core.control.ServerObserver;
import io.fdt.core.control.SessionInSteps;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.ClaimLocks;
import io.fdt.core.transport.Schedules;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Sessions that come to each other's files: one gets all of its files, and nobody waits forever. */
final class TargetClaimsSchedulesTest {
    private static final RawPath FIRST = RawPath.ofText("/first");
    private static final RawPath SECOND = RawPath.ofText("/second");

    /** Sessions with one key, which write the same two files. */
    private static final class Scene {
        private final TargetClaims claims = new TargetClaims(new ClaimLocks(), ServerObserver.NONE, 0);
        private final AtomicInteger holders = new AtomicInteger();
        final AtomicInteger complete = new AtomicInteger();

        TargetClaims.Claim begin() {
            return claims.begin(new SessionInSteps(() -> 0, 1).session());
        }

        /** One session's thread, which has one of the files: gets the other one, or ends for another session. */
        void hold(TargetClaims.Claim claim, RawPath other) {
            try (claim) {
                claim.hold(other);
                require(holders.incrementAndGet() == 1, "only one session has both files");
                complete.incrementAndGet();
                holders.decrementAndGet();
            } catch (TransferException busy) {
                require(busy.is(Cause.BUSY), "it ends for another session, and not: " + busy.getMessage());
            }
        }
    }

    @Test
    void ofTwoSessionsThatNeedEachOthersFileOneGetsBoth() {
        Schedules.explore(40, () -> {
            Scene scene = new Scene();
            TargetClaims.Claim earlier = scene.begin();
            TargetClaims.Claim later = scene.begin();
            later.hold(SECOND);
            earlier.hold(FIRST);
            together(() -> scene.hold(earlier, SECOND), () -> scene.hold(later, FIRST));
            require(scene.complete.get() >= 1, "one of them is complete");
            TargetClaims.Claim next = scene.begin();
            require(next.tryHold(FIRST, null) && next.tryHold(SECOND, null), "nothing is held any more");
        });
    }

    @Test
    void aSessionThatWaitsIsStoppedAtAnyMoment() {
        Schedules.explore(40, () -> {
            Scene scene = new Scene();
            TargetClaims.Claim waits = scene.begin();
            waits.hold(SECOND);
            TargetClaims.Claim goesOn = scene.begin();
            goesOn.hold(FIRST);
            together(
                    () -> {
                        try (waits) {
                            waits.hold(FIRST);
                            throw new AssertionError("the other session still holds it");
                        } catch (TransferException stopped) {
                            require(stopped.is(Cause.INTERRUPTED), "it ends because it is stopped");
                        }
                    },
                    waits::stopWaiting);
        });
    }

    /** What the holder has in place is certain only when it is over, though it has released the file before. */
    @Test
    void aSessionThatWaitsGetsTheFileWhenItsHolderIsOver() {
        Schedules.explore(40, () -> {
            Scene scene = new Scene();
            TargetClaims.Claim waits = scene.begin();
            waits.hold(SECOND);
            TargetClaims.Claim ends = scene.begin();
            ends.hold(FIRST);
            AtomicBoolean over = new AtomicBoolean();
            together(
                    () -> {
                        waits.hold(FIRST);
                        require(over.get(), "the other session is over");
                    },
                    () -> {
                        ends.stopWaiting();
                        ends.release(FIRST, null);
                        over.set(true);
                        ends.close();
                    });
            require(!scene.begin().tryHold(FIRST, null), "it is held");
        });
    }
}
