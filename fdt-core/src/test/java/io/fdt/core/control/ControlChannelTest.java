package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.basic.Clock;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.LinkTransport;
import io.fdt.core.transport.MemoryNetwork;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.transport.Transport;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every message arrives once and in order, whatever happens to the links, and a silent peer is given up. */
final class ControlChannelTest {
    private static final long LONG_MS = 60_000;

    private final MemoryNetwork network = MemoryNetwork.withThreads(1);
    private final LinkTransport here = network.newTransport(4096, 4);
    private final LinkTransport there = network.newTransport(4096, 4);
    private final ScheduledExecutorService timer = Timers.newTimer();
    private final BlockingQueue<MessageLink> accepted = new LinkedBlockingQueue<>();
    private final Transport.Listener listener =
            there.listen(new InetSocketAddress("localhost", 0), new Transport.Acceptor() {
                @Override
                public void onLink(MessageLink link) {
                    accepted.add(link);
                }

                @Override
                public void onLane(io.fdt.core.transport.Lane lane) {
                    throw new AssertionError("nobody opens a lane");
                }

                @Override
                public void onGarbage(String peer, Failure what) {
                    throw new AssertionError("nobody sends garbage");
                }
            });

    @AfterEach
    void close() {
        timer.shutdownNow();
        here.close();
        there.close();
    }

    /** Two ends of a link that have no handler yet. */
    private record Pair(ControlLink near, ControlLink far) {}

    private Pair connect() throws InterruptedException {
        ControlLink near = ControlLink.toServer(here.connectLink(listener.address(), null, LONG_MS), null);
        ControlLink far = ControlLink.toClient(accepted.take());
        Ignoring nobody = new Ignoring();
        near.open(nobody);
        far.open(nobody);
        near.pause();
        far.pause();
        return new Pair(near, far);
    }

    private static final class Ignoring implements MessageLink.Handler {
        @Override
        public void onMessage(byte[] encoded) {
            throw new AssertionError("nothing has been sent yet");
        }

        @Override
        public void onClosed(@Nullable TransferException cause) {
            throw new AssertionError("nothing has been closed yet");
        }
    }

    /** One end of a channel, with the events that it received. */
    private final class End implements ControlChannel.Handler {
        final List<ControlMessage> messages = new CopyOnWriteArrayList<>();
        final List<ControlMessage> asides = new CopyOnWriteArrayList<>();
        final CountDownLatch lost = new CountDownLatch(1);
        final CountDownLatch closed = new CountDownLatch(1);
        final ControlChannel channel;
        volatile @Nullable TransferException cause;
        volatile boolean hungUpWhenLost;

        End(ControlLink link, long timeoutMs) {
            channel = new ControlChannel(link, Clock.SYSTEM, timer, timeoutMs, gone -> {
                hungUpWhenLost = gone.isHungUp(0);
                lost.countDown();
            });
        }

        @Override
        public void onMessage(byte[] encoded) {
            messages.add(ControlCodec.decode(encoded, channel.peer()));
        }

        @Override
        public void onAside(Class<? extends ControlMessage> type, byte[] encoded) {
            asides.add(ControlCodec.decode(encoded, channel.peer()));
        }

        @Override
        public void onClosed(@Nullable TransferException newCause) {
            cause = newCause;
            closed.countDown();
        }

        void awaitMessages(int count) {
            Await.until(() -> messages.size() + " of " + count + " messages", () -> messages.size() >= count);
        }

        void awaitClosed() throws InterruptedException {
            assertThat(closed.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static ControlMessage numbered(int number) {
        return new SessionMessage.Warning(Integer.toString(number));
    }

    private static List<ControlMessage> numbered(int from, int to) {
        return IntStream.range(from, to).mapToObj(ControlChannelTest::numbered).toList();
    }

    private static void reattach(Pair links, End near, End far) {
        long nearHeard = near.channel.release();
        long farHeard = far.channel.release();
        far.channel.adopt(links.far, nearHeard);
        near.channel.adopt(links.near, farHeard);
    }

    /** A path that cuts every link before the first message is delivered, but allows a new link each time. */
    @Test
    void idleLinksDoNotKeepSessionAlive() throws Exception {
        End near = new End(connect().near, 200);
        near.channel.start(near);
        near.channel.send(numbered(0));
        Await.until("the peer is given up", () -> {
            try {
                ControlLink next = connect().near;
                near.channel.release();
                near.channel.adopt(next, 0);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            } catch (TransferException over) {
                assertThat(over).hasMessageContaining("over");
            }
            return near.closed.getCount() == 0;
        });
        assertThat(near.cause).hasMessageContaining("no heartbeat");
    }

    @Test
    void unnumberedMessagesAreNotResent() throws Exception {
        Pair links = connect();
        End near = new End(links.near, LONG_MS);
        End far = new End(links.far, LONG_MS);
        near.channel.start(near);
        far.channel.start(far);
        near.channel.send(numbered(0));
        near.channel.sendOnLink(new SessionMessage.AskHost());
        near.channel.send(numbered(1));
        far.awaitMessages(2);
        assertThat(far.asides).containsExactly(new SessionMessage.AskHost());

        // The counts of both ends must still agree, or the next link is refused.
        reattach(connect(), near, far);
        near.channel.send(numbered(2));
        far.awaitMessages(3);

        assertThat(far.messages).isEqualTo(numbered(0, 3));
        assertThat(far.asides).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void deliversOnceAndInOrderOverManyLinks(long seed) throws Exception {
        Random random = new Random(seed);
        Pair links = connect();
        End near = new End(links.near, LONG_MS);
        End far = new End(links.far, LONG_MS);
        near.channel.start(near);
        far.channel.start(far);
        int sent = 0;
        for (int round = 0; round < 40; round++) {
            int until = sent + random.nextInt(150);
            for (; sent < until; sent++) {
                near.channel.send(numbered(sent));
                far.channel.send(numbered(-sent));
            }
            switch (random.nextInt(4)) {
                case 0 -> links.near.abort(Cause.CONNECTION_LOST.failure("cut"));
                case 1 -> links.far.abort(Cause.CONNECTION_LOST.failure("cut"));
                case 2 -> near.awaitMessages(random.nextInt(sent + 1));
                default -> far.awaitMessages(random.nextInt(sent + 1));
            }
            links = connect();
            reattach(links, near, far);
        }
        near.awaitMessages(sent);
        far.awaitMessages(sent);
        assertThat(far.messages).isEqualTo(numbered(0, sent));
        assertThat(near.messages)
                .isEqualTo(IntStream.range(0, sent)
                        .mapToObj(number -> numbered(-number))
                        .toList());
    }

    @Test
    void messageSentWithoutLinkArrivesLater() throws Exception {
        Pair links = connect();
        End near = new End(links.near, LONG_MS);
        End far = new End(links.far, LONG_MS);
        near.channel.start(near);
        far.channel.start(far);
        links.far.abort(Cause.CONNECTION_LOST.failure("cut"));
        assertThat(near.lost.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(near.channel.isLost()).isTrue();
        numbered(0, 10).forEach(near.channel::send);
        reattach(connect(), near, far);
        far.awaitMessages(10);
        assertThat(far.messages).isEqualTo(numbered(0, 10));
        assertThat(near.channel.isLost()).isFalse();
        assertThat(near.closed.getCount()).isEqualTo(1);
    }

    /** One end of a channel over this link. */
    private End over(RecordedLink recorded) {
        ControlLink link = ControlLink.toClient(recorded);
        link.open(new Ignoring());
        End end = new End(link, LONG_MS);
        end.channel.start(end);
        return end;
    }

    /** It could keep the connection and what is queued on it, without a session that is charged. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1})
    void aPeerThatHasLeftIsNotWaitedForWhenItReadsNothing(long queuedBytes) {
        RecordedLink link = new RecordedLink();
        End end = over(link);
        link.receive(new SessionMessage.Leaving());
        link.queuedBytes = queuedBytes;
        end.channel.close();
        assertThat(link.closed).isEqualTo(queuedBytes == 0);
        assertThat(link.aborted != null).isNotEqualTo(link.closed);
    }

    /** The charge of a link covers what a peer that reads has not read yet. */
    @ParameterizedTest
    @ValueSource(longs = {128 << 10, (128 << 10) + 1})
    void aPeerThatHasLeftMuchUnreadGetsNoOtherSessionOnTheLink(long queuedBytes) {
        RecordedLink link = new RecordedLink();
        End end = over(link);
        link.receive(new SessionMessage.Leaving());
        link.queuedBytes = queuedBytes;
        AtomicBoolean goesOn = new AtomicBoolean();
        end.channel.leave(next -> goesOn.set(true));
        assertThat(goesOn.get()).isEqualTo(queuedBytes == 128 << 10);
        assertThat(link.aborted != null).isNotEqualTo(goesOn.get());
    }

    /** Otherwise what it does not read would fill the memory of this side, charged to nobody. */
    @Test
    void aPeerDoesNotAcknowledgeWhatIsStillQueued() {
        RecordedLink link = new RecordedLink();
        End end = over(link);
        int bytes = 1 << 10;
        ControlMessage message = new SessionMessage.Warning("w".repeat(bytes));
        for (int i = 0; i < 4; i++) {
            end.channel.send(message);
        }
        link.queuedBytes = ControlChannel.MAX_UNCOUNTED_BYTES + 4L * bytes;
        link.receive(new SessionMessage.Heartbeat(0));
        assertThat(link.aborted).isNull();

        link.receive(new SessionMessage.Heartbeat(1));

        assertThat(link.aborted).isNotNull().hasMessageContaining("does not read");
        assertThat(link.aborted.kind()).isEqualTo(FailureKind.VERSION);
    }

    @Test
    void orderlyCloseIsNotReportedAsLoss() throws Exception {
        Pair links = connect();
        End near = new End(links.near, LONG_MS);
        End far = new End(links.far, LONG_MS);
        near.channel.start(near);
        far.channel.start(far);
        near.channel.send(numbered(0));
        near.channel.close();
        far.awaitClosed();
        near.awaitClosed();
        assertThat(far.messages).isEqualTo(numbered(0, 1));
        assertThat(far.cause).isNull();
        assertThat(near.cause).isNull();
        assertThat(far.lost.getCount()).isEqualTo(1);
    }

    @Test
    void silentPeerIsLostAfterSecondLink() throws Exception {
        Pair links = connect();
        End near = new End(links.near, 400);
        near.channel.start(near);
        near.awaitClosed();
        assertThat(near.lost.getCount()).isZero();
        assertThat(near.cause).isNotNull().hasMessageContaining("no heartbeat");
        assertThat(near.cause.kind()).isEqualTo(FailureKind.CONNECTION_LOST);
        assertThat(near.hungUpWhenLost)
                .as("silence is no sign that it has gone")
                .isFalse();
    }

    /** Otherwise the session would wait for its timeout and not report the bug. */
    @Test
    void exceptionWhileReconnectingEndsChannel() throws Exception {
        Pair links = connect();
        End near = new End(links.near, LONG_MS);
        near.channel.start(near);
        links.far.abort(Cause.CONNECTION_LOST.failure("cut"));
        assertThat(near.lost.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        new Reattaching(Clock.SYSTEM, LONG_MS, channel -> {
                    throw new IllegalStateException("a mistake");
                })
                .begin(near.channel);
        near.awaitClosed();
        assertThat(near.cause).hasMessageContaining("a mistake");
    }

    @Test
    void peerIsDisconnectedUntilItReconnects() throws Exception {
        Pair links = connect();
        End near = new End(links.near, LONG_MS);
        End far = new End(links.far, LONG_MS);
        near.channel.start(near);
        far.channel.start(far);
        assertThat(near.channel.isHungUp(0)).isFalse();

        links.far.abort(Cause.CONNECTION_LOST.failure("cut"));
        assertThat(near.lost.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(near.hungUpWhenLost).isTrue();
        assertThat(near.channel.isHungUp(TimeUnit.HOURS.toNanos(1))).isFalse();

        reattach(connect(), near, far);
        assertThat(near.channel.isHungUp(0)).isFalse();
    }

    @Test
    void heartbeatsKeepAQuietChannelAlive() throws Exception {
        Pair links = connect();
        // A busy machine may delay both ends for seconds, and neither is then silent for even half of this.
        long timeoutMs = 12_000;
        End near = new End(links.near, timeoutMs);
        End far = new End(links.far, timeoutMs);
        near.channel.start(near);
        far.channel.start(far);
        assertThat(near.closed.await(timeoutMs * 3 / 2, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(near.lost.getCount()).isEqualTo(1);
    }

    @Test
    void refusesWrongSequenceNumbers() throws Exception {
        Pair links = connect();
        End near = new End(links.near, LONG_MS);
        near.channel.start(near);
        near.channel.send(numbered(0));
        near.channel.release();
        assertThatThrownBy(() -> near.channel.adopt(connect().near, 2))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.VERSION));
        assertThatThrownBy(() -> near.channel.adopt(connect().near, -1)).isInstanceOf(TransferException.class);
    }

    @Test
    void ignoresMessagesAfterEnd() throws Exception {
        Pair links = connect();
        End near = new End(links.near, LONG_MS);
        near.channel.start(near);
        near.channel.giveUp(Cause.CONNECTION_LOST.failure("enough"));
        near.awaitClosed();
        assertThat(near.channel.isLost()).isFalse();
        assertThatThrownBy(() -> near.channel.adopt(connect().near, 0)).isInstanceOf(TransferException.class);
    }
}
