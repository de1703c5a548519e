package io.fdt.core.transport.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.LaneNames;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.ThreadedLane;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A lane whose ends share a thread and its blocks. */
final class InnerLaneTest {
    private static final int MESSAGES = 100;

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final InnerLane lane =
            new InnerLane("there", new LaneNames(LanePlaces.ANYWHERE), (ThreadedLane over) -> ended.countDown());

    /** Sends numbers, each in a block of its own. */
    private final class Sending implements LaneHandler {
        private int next;
        private final Consumer<Lane> atEnd;

        Sending(Consumer<Lane> atEnd) {
            this.atEnd = atEnd;
        }

        @Override
        public int wantedBytes() {
            return 1;
        }

        @Override
        public void onReceived(Block block) {
            events.add("received at the sending end");
        }

        @Override
        public void onSendable() {
            for (Block block = lane.acquire(); block != null; block = next < MESSAGES ? lane.acquire() : null) {
                if (next == MESSAGES) {
                    block.release();
                    return;
                }
                block.buffer().putLong(block.address()).putInt(next++).flip();
                lane.send(block);
            }
            if (next == MESSAGES) {
                atEnd.accept(lane);
            }
        }

        @Override
        public void onClosed(@Nullable TransferException cause) {
            events.add("sender closed: " + text(cause));
        }
    }

    private static String text(@Nullable TransferException cause) {
        return cause == null ? "in order" : cause.failure().cause() + " " + cause.getMessage();
    }

    /** Checks that numbers come in order, in the memory that they were sent from, and on this lane's thread. */
    private final class Receiving implements LaneHandler {
        private final int wanted;
        private final int failsAt;
        private int expected;
        private boolean isSameThread = true;
        private @Nullable Thread own;

        Receiving(int wanted, int failsAt) {
            this.wanted = wanted;
            this.failsAt = failsAt;
        }

        @Override
        public int wantedBytes() {
            return wanted;
        }

        @Override
        public void onReceived(Block block) {
            isSameThread &= own == Thread.currentThread();
            if (block.buffer().getLong() != block.address() || block.buffer().getInt() != expected++) {
                events.add("something else came");
            }
            if (expected == failsAt) {
                throw Cause.NO_SPACE.failure("no room");
            }
        }

        @Override
        public void onSendable() {
            own = Thread.currentThread();
        }

        @Override
        public void onClosed(@Nullable TransferException cause) {
            events.add("receiver closed after " + expected + (isSameThread ? "" : ", on other threads") + ": "
                    + text(cause));
        }
    }

    private void run(LaneHandler sending, LaneHandler receiving) {
        lane.far().start(receiving);
        lane.start(sending);
        Await.until("the lane has ended", ended);
    }

    @Test
    void handsBlocksOverInPlaceAndEndsBothInOrder() {
        run(new Sending(Lane::close), new Receiving(12, -1));
        assertThat(events).containsExactly("sender closed: in order", "receiver closed after 100: in order");
    }

    @Test
    void aFailureOfTheReceivingEndIsItsOwnAndALossForTheOther() {
        run(new Sending(over -> {}), new Receiving(12, 7));
        assertThat(events)
                .containsExactly(
                        "sender closed: CONNECTION_LOST lost the connection to there: no room",
                        "receiver closed after 7: NO_SPACE no room");
    }

    @Test
    void aFailureOfTheSendingEndIsALossForTheReceiving() {
        run(new Sending(over -> over.abort(Cause.UNREADABLE.failure("a bad disk"))), new Receiving(12, -1));
        assertThat(events)
                .containsExactly(
                        "sender closed: UNREADABLE a bad disk",
                        "receiver closed after 100: CONNECTION_LOST lost the connection to there: it has ended the lane");
    }

    @Test
    void anotherThreadMayEndIt() {
        lane.far().start(new Receiving(12, -1));
        lane.start(new Sending(over -> events.add("all sent")));
        Await.until("it sleeps", () -> events.contains("all sent"));
        lane.far().close();
        Await.until("the lane has ended", ended);
        assertThat(events)
                .containsExactly("all sent", "sender closed: in order", "receiver closed after 100: in order");
    }

    @Test
    void anUnfinishedMessageIsAMistake() {
        run(new Sending(over -> {}), new Receiving(13, -1));
        assertThat(events).hasSize(2).allMatch(each -> each.contains("a message does not lie within one block"));
    }

    @Test
    void oneThatWasNeverStartedTellsTheOtherEnd() {
        lane.far().start(new Receiving(12, -1));
        lane.close();
        Await.until("the lane has ended", ended);
        assertThat(events).containsExactly("receiver closed after 0: in order");
    }
}
