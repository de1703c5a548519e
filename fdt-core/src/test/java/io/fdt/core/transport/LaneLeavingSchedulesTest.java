package io.fdt.core.transport;

import static io.fdt.core.transport.Schedules.require;
import static io.fdt.core.transport.Schedules.together;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A lane that leaves its session for another one while that session ends, or while it is closed. */
final class LaneLeavingSchedulesTest {
    private static final class Bell extends WakeUp {
        private boolean rung;

        Bell() {
            super(-1);
        }

        synchronized void await() throws InterruptedException {
            while (!rung) {
                wait();
            }
        }

        @Override
        protected synchronized void raise(int eventDescriptor) {
            rung = true;
            notifyAll();
        }

        @Override
        protected synchronized void lower(int eventDescriptor) {
            rung = false;
        }

        @Override
        protected void free(int eventDescriptor) {}
    }

    /** A lane that moves nothing, and whose peer ends its stream at once. */
    private static final class Idle extends ThreadedLane {
        private final Bell bell;

        Idle() {
            this(new Bell());
        }

        private Idle(Bell bell) {
            super("peer", "a test", 1, 64, bell, new LaneNames(LanePlaces.ANYWHERE), lane -> {});
            this.bell = bell;
        }

        @Override
        public boolean isClear() {
            return true;
        }

        @Override
        protected void begin(Delivery delivery, int threadNumber) {}

        @Override
        protected LaneBlock newSendBlock(int index) {
            return new LaneBlock(this, ByteBuffer.allocate(64), 0);
        }

        @Override
        protected boolean moveOut() {
            return false;
        }

        @Override
        protected void push() {}

        @Override
        protected boolean moveIn(boolean moved) {
            if (phase() == Phase.CLOSING) {
                drain();
                return true;
            }
            if (phase() == Phase.DRAINING) {
                end();
                return true;
            }
            return false;
        }

        @Override
        protected void await(WakeUp woken, long idleNanos) {
            try {
                bell.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        protected void endUnstarted() {}

        @Override
        protected void free() {}
    }

    private static TransferException ended() {
        return Cause.CONNECTION_LOST.failure("its session has ended");
    }

    /** The lane of a session, and what the session knows of it. */
    private static final class Member implements LaneHandler {
        private boolean belongs = true;
        boolean left;

        @Nullable TransferException closedBy;

        int closed;

        /** The session ends, as a server's does: under the lock with which lanes leave. */
        synchronized void end(Lane lane) {
            if (belongs) {
                lane.abortUnlessLeaving(ended());
            }
        }

        @Override
        public synchronized boolean onLeft() {
            belongs = false;
            left = true;
            return true;
        }

        @Override
        public synchronized void onClosed(@Nullable TransferException cause) {
            belongs = false;
            closed++;
            closedBy = cause;
        }

        private synchronized boolean isClosed() {
            return closed > 0;
        }

        /** The scheduler lets a wait with a limit end at once. */
        void awaitClosed(Idle lane) throws InterruptedException {
            while (!isClosed()) {
                lane.awaitEnd(1);
            }
        }

        @Override
        public int wantedBytes() {
            return 1;
        }

        @Override
        public void onReceived(Block block) {}

        @Override
        public void onSendable() {}
    }

    @Test
    void theEndOfASessionLeavesALaneAloneThatHasLeftIt() {
        Schedules.explore(80, () -> {
            Idle lane = new Idle();
            Member member = new Member();
            lane.start(member);
            // The session's thread does one after the other, and the lane's thread leaves meanwhile.
            lane.leave();
            member.end(lane);
            lane.close();
            member.awaitClosed(lane);
            require(member.closed == 1, "it is closed once");
            require(member.left && member.closedBy == null, "a lane that leaves is not cut off");
        });
    }

    @Test
    void aLaneThatIsClosedAtAnyMomentEndsOnce() {
        Schedules.explore(80, () -> {
            Idle lane = new Idle();
            Member member = new Member();
            together(() -> lane.start(member), lane::close, () -> lane.abort(ended()));
            member.awaitClosed(lane);
            require(member.closed == 1, "it is closed once, and not " + member.closed + " times");
        });
    }
}
