package io.fdt.core.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The life of a lane, over a stream that the test drives. */
final class ThreadedLaneTest {
    private static final int BLOCKS = 2;

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final AtomicInteger ended = new AtomicInteger();
    private final Handler handler = new Handler();
    private final Fake lane = new Fake();

    /** A wake-up that releases a permit. */
    private static final class Bell extends WakeUp {
        final Semaphore rung = new Semaphore(0);

        Bell() {
            super(-1);
        }

        @Override
        protected void raise(int eventDescriptor) {
            rung.release();
        }

        @Override
        protected void lower(int eventDescriptor) {
            rung.drainPermits();
        }

        @Override
        protected void free(int eventDescriptor) {
            rung.release(1000);
        }
    }

    /** A lane that keeps sent data until the test accepts it, and ends its stream when everything is sent. */
    private final class Fake extends ThreadedLane {
        private final Bell bell;
        volatile boolean takes = true;
        volatile boolean peerEnded;
        volatile boolean breaksWhenFreed;
        volatile @Nullable IOException breaks;

        Fake() {
            this(new Bell());
        }

        private Fake(Bell bell) {
            super(
                    "peer",
                    "a test",
                    BLOCKS,
                    64,
                    bell,
                    new LaneNames(LanePlaces.ANYWHERE),
                    over -> ended.incrementAndGet());
            this.bell = bell;
        }

        @Override
        public boolean isClear() {
            return true;
        }

        /** Makes the lane check for changes. */
        void look() {
            execute(() -> {});
            bell.rung.release();
        }

        @Override
        protected void begin(Delivery delivery, int threadNumber) {
            events.add("begun");
        }

        @Override
        protected LaneBlock newSendBlock(int index) {
            return new LaneBlock(this, ByteBuffer.allocateDirect(64), 0);
        }

        @Override
        protected boolean moveOut() {
            boolean moved = false;
            while (takes && hasOutgoing()) {
                LaneBlock sent = firstOutgoing();
                removeOutgoing();
                onFree(sent);
                events.add("sent");
                moved = true;
            }
            return moved;
        }

        @Override
        protected void push() {
            moveOut();
        }

        @Override
        protected boolean moveIn(boolean moved) throws IOException {
            IOException broken = breaks;
            if (broken != null) {
                throw broken;
            }
            if (phase() == Phase.CLOSING && !hasOutgoing()) {
                events.add("stream ended");
                drain();
                return true;
            }
            if (phase() == Phase.DRAINING && peerEnded) {
                end();
                return true;
            }
            return false;
        }

        @Override
        protected void await(WakeUp woken, long idleNanos) {
            try {
                var unused = bell.rung.tryAcquire(idleNanos, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        protected void endUnstarted() {
            events.add("unstarted stream ended");
        }

        @Override
        protected void free() {
            events.add("freed");
            if (breaksWhenFreed) {
                throw new IllegalStateException("cannot be freed");
            }
        }
    }

    private final class Handler implements LaneHandler {
        final CompletableFuture<Optional<TransferException>> closed = new CompletableFuture<>();
        final AtomicInteger sendable = new AtomicInteger();
        volatile @Nullable Runnable onSendable;
        volatile @Nullable BooleanSupplier onLeft;

        @Override
        public boolean onLeft() {
            BooleanSupplier own = onLeft;
            return own != null && own.getAsBoolean();
        }

        @Override
        public int wantedBytes() {
            return 1;
        }

        @Override
        public void onReceived(Block block) {
            throw new AssertionError("nothing comes");
        }

        @Override
        public void onSendable() {
            sendable.incrementAndGet();
            Runnable then = onSendable;
            if (then != null) {
                then.run();
            }
        }

        @Override
        public void onClosed(@Nullable TransferException cause) {
            events.add("told");
            closed.complete(Optional.ofNullable(cause));
        }

        Optional<TransferException> end() throws Exception {
            return closed.get(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }

    private void sendOne() {
        Block block = lane.acquire();
        if (block != null) {
            block.buffer().put((byte) 1).flip();
            lane.send(block);
        }
    }

    private void awaitOver() {
        Await.until("the lane is over", () -> ended.get() == 1 && events.contains("freed"));
    }

    @Test
    void closeSendsEverythingAndWaitsForThePeersEnd() throws Exception {
        lane.takes = false;
        handler.onSendable = () -> {
            if (handler.sendable.get() == 1) {
                sendOne();
            }
        };
        lane.start(handler);
        Await.until("it has sent", () -> handler.sendable.get() == 1);
        lane.close();
        lane.look();
        assertThat(events).doesNotContain("stream ended");
        lane.takes = true;
        lane.look();
        assertThat(handler.end()).isEmpty();
        assertThat(ended).hasValue(0);
        lane.peerEnded = true;
        lane.look();
        // The lane drops its tasks now, but the end of the peer's stream wakes it.
        awaitOver();
        assertThat(events).containsExactly("begun", "sent", "stream ended", "told", "freed");
    }

    @Test
    void abortDropsUnsentBlocks() throws Exception {
        lane.takes = false;
        handler.onSendable = this::sendOne;
        lane.start(handler);
        lane.abort(Cause.CONNECTION_LOST.failure("enough"));
        assertThat(handler.end()).hasValueSatisfying(cause -> assertThat(cause).hasMessage("enough"));
        awaitOver();
        assertThat(events).doesNotContain("sent", "stream ended");
    }

    @Test
    void closeIsCutOffIfThePeerDoesNotEnd() throws Exception {
        lane.start(handler);
        lane.close();
        assertThat(handler.end()).isEmpty();
        lane.cutOff(Cause.CONNECTION_LOST.failure("too late"));
        awaitOver();
        assertThat(events).containsExactly("begun", "stream ended", "told", "freed");
    }

    /** The end of a session meets the lane while its thread is leaving it. */
    @Test
    void laneThatLeavesForAnotherSessionGoesOn() throws Exception {
        TransferException over = Cause.CONNECTION_LOST.failure("the session is over");
        handler.onLeft = () -> {
            lane.abortUnlessLeaving(over);
            return true;
        };
        lane.start(handler);
        lane.leave();
        lane.execute(() -> lane.execute(() -> events.add("goes on")));
        Await.until("it goes on", () -> events.contains("goes on"));
        assertThat(events).doesNotContain("told");
        lane.abortUnlessLeaving(over);
        assertThat(handler.end()).hasValueSatisfying(cause -> assertThat(cause).isSameAs(over));
        awaitOver();
    }

    /** Its peer may never take what is unsent. */
    @Test
    void laneThatCannotLeaveIsCutOff() throws Exception {
        TransferException over = Cause.CONNECTION_LOST.failure("the session is over");
        lane.takes = false;
        handler.onSendable = this::sendOne;
        handler.onLeft = () -> {
            lane.abortUnlessLeaving(over);
            return false;
        };
        lane.start(handler);
        lane.leave();
        assertThat(handler.end()).hasValueSatisfying(cause -> assertThat(cause).isSameAs(over));
        awaitOver();
    }

    @Test
    void laneWithoutAnotherUseIsClosedInOrder() throws Exception {
        lane.start(handler);
        lane.leave();
        assertThat(handler.end()).isEmpty();
        lane.peerEnded = true;
        lane.look();
        awaitOver();
        assertThat(events).containsExactly("begun", "stream ended", "told", "freed");
    }

    @Test
    void ioErrorIsReportedAsConnectionLost() throws Exception {
        lane.start(handler);
        lane.breaks = new IOException("reset");
        lane.look();
        assertThat(handler.end()).hasValueSatisfying(cause -> {
            assertThat(cause.kind()).isEqualTo(FailureKind.CONNECTION_LOST);
            assertThat(cause).hasMessage("lost the connection to peer: reset");
        });
        awaitOver();
    }

    @Test
    void throwingHandlerIsOnlyClosed() throws Exception {
        handler.onSendable = () -> {
            throw new IllegalStateException("a mistake");
        };
        lane.start(handler);
        assertThat(handler.end()).hasValueSatisfying(cause -> {
            assertThat(cause.kind()).isEqualTo(FailureKind.INTERNAL);
            assertThat(cause).hasMessageContaining("a mistake");
        });
        awaitOver();
        assertThat(handler.sendable).hasValue(1);
    }

    @Test
    void throwingTaskEndsTheLaneAndLaterTasksAreDropped() throws Exception {
        lane.start(handler);
        lane.execute(() -> {
            throw new IllegalStateException("a mistake");
        });
        assertThat(handler.end())
                .hasValueSatisfying(cause -> assertThat(cause.kind()).isEqualTo(FailureKind.INTERNAL));
        awaitOver();
        lane.execute(() -> events.add("a task"));
        lane.close();
        lane.abort(Cause.CONNECTION_LOST.failure("again"));
        assertThat(events).doesNotContain("a task").containsOnlyOnce("told", "freed");
        assertThat(ended).hasValue(1);
    }

    @Test
    void callsHandlerWhenABlockIsFreeAgain() {
        lane.takes = false;
        handler.onSendable = () -> {
            for (int i = 0; i <= BLOCKS; i++) {
                sendOne();
            }
            events.add("has sent");
        };
        lane.start(handler);
        Await.until("it found none", () -> events.contains("has sent"));
        lane.look();
        lane.takes = true;
        lane.look();
        Await.until("it is asked again", () -> handler.sendable.get() > 1);
        lane.abort(Cause.CONNECTION_LOST.failure("enough"));
        awaitOver();
    }

    @Test
    void aLaneThatIsNotStartedEndsWithoutAThread() {
        lane.close();
        assertThat(events).containsExactly("unstarted stream ended", "freed");
        lane.close();
        lane.abort(Cause.CONNECTION_LOST.failure("again"));
        assertThat(events).hasSize(2);
        assertThat(ended).hasValue(1);
    }

    @Test
    void startingAnEndedLaneReportsTheCause() throws Exception {
        lane.abort(Cause.CONNECTION_LOST.failure("before"));
        assertThat(events).containsExactly("freed");
        lane.start(handler);
        assertThat(handler.end()).hasValueSatisfying(cause -> assertThat(cause).hasMessage("before"));
        assertThat(events).doesNotContain("begun");
        assertThat(ended).hasValue(1);
    }

    /** Otherwise its transport would wait for it, and count it, for ever. */
    @Test
    void failureToFreeStillEndsTheLane() throws Exception {
        lane.breaksWhenFreed = true;
        lane.start(handler);
        lane.abort(Cause.CONNECTION_LOST.failure("enough"));
        assertThat(handler.end()).isPresent();
        awaitOver();
        Await.until("its wake-up is closed", () -> lane.bell.rung.availablePermits() > 900);
    }

    @Test
    void aLaneIsStartedOnce() throws Exception {
        lane.start(handler);
        assertThatThrownBy(() -> lane.start(handler)).isInstanceOf(IllegalStateException.class);
        lane.abort(Cause.CONNECTION_LOST.failure("enough"));
        assertThat(handler.end()).isPresent();
        awaitOver();
    }
}
