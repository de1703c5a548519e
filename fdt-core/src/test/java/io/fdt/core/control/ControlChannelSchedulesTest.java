package io.fdt.core.control;

import static io.fdt.core.transport.Schedules.require;
import static io.fdt.core.transport.Schedules.together;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.transport.Schedules;
import io.fdt.core.wire.ControlMessage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A channel that gets another link while the one before is lost, or while it is closed or given up. */
final class ControlChannelSchedulesTest {
    /** A link that ends when it is closed, as one does whose peer reads everything. */
    private static final class Ending implements MessageLink {
        private @Nullable Handler handler;
        private Runnable beforeSending = () -> {};
        private boolean over;

        synchronized boolean isOver() {
            return over;
        }

        @Override
        public void start(Handler started) {
            handler = started;
        }

        @Override
        public void send(byte[] message) {
            beforeSending.run();
        }

        private void end(@Nullable TransferException cause) {
            synchronized (this) {
                if (over) {
                    return;
                }
                over = true;
            }
            Handler told = handler;
            if (told != null) {
                told.onClosed(cause);
            }
        }

        @Override
        public void close() {
            end(null);
        }

        @Override
        public void abort(TransferException cause) {
            end(cause);
        }

        @Override
        public void pause() {}

        @Override
        public void resume() {}

        @Override
        public long queuedBytes() {
            return 0;
        }

        @Override
        public String peer() {
            return "peer";
        }

        @Override
        public String description() {
            return "a test";
        }
    }

    private static final class Scene {
        final Ending first = new Ending();
        final Ending second = new Ending();
        final AtomicInteger ends = new AtomicInteger();
        final AtomicInteger losses = new AtomicInteger();
        final ControlChannel channel;
        private final ControlLink next;

        Scene(ScheduledExecutorService timer) {
            ControlLink link = ControlLink.toClient(first);
            link.open(null);
            next = ControlLink.toClient(second);
            next.open(null);
            channel = new ControlChannel(link, () -> 0, timer, 600_000, lost -> losses.incrementAndGet());
            channel.start(new ControlChannel.Handler() {
                @Override
                public void onAside(Class<? extends ControlMessage> type, byte[] encoded) {}

                @Override
                public void onMessage(byte[] encoded) {}

                @Override
                public void onClosed(@Nullable TransferException cause) {
                    ends.incrementAndGet();
                }
            });
        }

        /** What a server does for a client that returns. */
        void reattach() {
            channel.release();
            try {
                channel.adopt(next, 0);
            } catch (TransferException over) {
                next.abort(over);
            }
        }
    }

    @Test
    void aChannelThatIsGivenUpWhileItGetsAnotherLinkLeavesNoneOpen() {
        ScheduledExecutorService timer = NeverDue.timer();
        Schedules.explore(40, () -> {
            Scene scene = new Scene(timer);
            together(scene::reattach, () -> scene.channel.giveUp(Cause.CONNECTION_LOST.failure("given up")));
            require(scene.ends.get() == 1, "it ends once, and not " + scene.ends.get() + " times");
            require(scene.first.isOver() && scene.second.isOver(), "no link is left");
        });
    }

    @Test
    void aLinkThatIsLostWhileItIsReplacedIsNoLossOfTheNextOne() {
        ScheduledExecutorService timer = NeverDue.timer();
        Schedules.explore(40, () -> {
            Scene scene = new Scene(timer);
            together(scene::reattach, () -> scene.first.abort(Cause.CONNECTION_LOST.failure("cut")));
            require(!scene.channel.isLost(), "it has a link");
            require(scene.ends.get() == 0, "it goes on");
            require(!scene.second.isOver(), "and that is open");
        });
    }

    /** Its client's new connection comes when the channel has looked which link it has to close. */
    @Test
    void aChannelWhoseLinkIsReleasedWhileItIsClosedEnds() {
        Scene scene = new Scene(NeverDue.timer());
        scene.first.beforeSending = scene::reattach;

        scene.channel.close();

        require(scene.ends.get() == 1, "it ends once, and not " + scene.ends.get() + " times");
        require(scene.first.isOver() && scene.second.isOver(), "no link is left");
    }

    @Test
    void aChannelThatIsClosedWhileItGetsAnotherLinkEndsOnceWithBoth() {
        ScheduledExecutorService timer = NeverDue.timer();
        Schedules.explore(40, () -> {
            Scene scene = new Scene(timer);
            together(scene::reattach, scene.channel::close);
            require(scene.ends.get() == 1, "it ends once, and not " + scene.ends.get() + " times");
            require(scene.first.isOver() && scene.second.isOver(), "no link is left");
        });
    }

    @Test
    void aChannelThatIsLeftWhileItGetsAnotherLinkEndsOnceAndPassesOnNoneThatItCloses() {
        ScheduledExecutorService timer = NeverDue.timer();
        Schedules.explore(40, () -> {
            Scene scene = new Scene(timer);
            AtomicInteger passed = new AtomicInteger();
            together(scene::reattach, () -> scene.channel.leave(link -> passed.incrementAndGet()));
            require(scene.ends.get() == 1, "it ends once, and not " + scene.ends.get() + " times");
            int open = (scene.first.isOver() ? 0 : 1) + (scene.second.isOver() ? 0 : 1);
            require(open == passed.get(), "links that are open: " + open + ", passed on: " + passed.get());
        });
    }
}
