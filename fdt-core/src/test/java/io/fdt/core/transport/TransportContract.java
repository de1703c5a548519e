package io.fdt.core.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What every transport guarantees for lanes. A transport's own test supplies its two ends. */
public abstract class TransportContract {
    protected static final long TIMEOUT_MS = Await.LIMIT_MS;

    /** Two ends of the transport under test. */
    public record Ends(Transport server, Transport client, InetSocketAddress listenAddress, boolean clear) {}

    /** A lane as seen from both ends. */
    public record Pair(Lane client, Lane server) {}

    private final BlockingQueue<Lane> accepted = new LinkedBlockingQueue<>();
    private final List<TestHandler> handlers = new ArrayList<>();

    private Ends ends;
    private Transport.Listener listener;

    /** Opens new ends, for one test. */
    protected abstract Ends open();

    /** Returns an address at which nothing listens. */
    protected abstract InetSocketAddress nobody();

    /** Returns how many lanes run at once; fewer only for transports whose lanes each need their own core. */
    protected int lanesAtOnce() {
        return 64;
    }

    @BeforeEach
    final void openEnds() {
        ends = open();
        listener = ends.server().listen(ends.listenAddress(), new Transport.Acceptor() {
            @Override
            public void onLane(Lane lane) {
                accepted.add(lane);
            }

            @Override
            public void onLink(MessageLink link) {
                link.close();
            }

            @Override
            public void onGarbage(String peer, Failure what) {}
        });
    }

    @AfterEach
    final void closeEndsAndFindNoBreach() {
        ends.client().close();
        ends.server().close();
        for (TestHandler handler : handlers) {
            Await.until("handler closed", handler.closed);
            assertThat(handler.breaches).isEmpty();
        }
    }

    protected final Ends ends() {
        return ends;
    }

    protected final Pair connect() {
        Lane client = ends.client().connect(listener.address(), null, ends.clear(), TIMEOUT_MS);
        return new Pair(client, nextAccepted());
    }

    private Lane nextAccepted() {
        try {
            Lane lane = accepted.poll(TIMEOUT_MS, TimeUnit.MILLISECONDS);
            if (lane == null) {
                throw new AssertionError("no lane was accepted");
            }
            return lane;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    protected final TestHandler start(TestHandler handler) {
        handlers.add(handler);
        handler.lane.start(handler);
        return handler;
    }

    private static TransferException madeUp() {
        return Cause.LIMIT.failure("made up");
    }

    /** Runs the task on the lane's thread and waits for it. */
    private static void onLane(Lane lane, Runnable task) {
        CountDownLatch done = new CountDownLatch(1);
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        lane.execute(() -> {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                failure.set(e);
            } finally {
                done.countDown();
            }
        });
        Await.until("task on the lane's thread", done);
        assertThat(failure.get()).isNull();
    }

    @Test
    @Tag("sanitized")
    void carriesBytesInOrderWithAnyCutsInBothDirectionsAtOnce() {
        long seed = Long.getLong("fdt.seed", 1);
        SplittableRandom random = new SplittableRandom(seed);
        Pair pair = connect();
        long total = 12_000_000;
        TestHandler client = new TestHandler(pair.client(), 1, total, 2);
        TestHandler server = new TestHandler(pair.server(), 2, total, 1);
        for (TestHandler handler : List.of(client, server)) {
            SplittableRandom own = random.split();
            int capacity = handler.lane.blockBytes();
            handler.sendSize = () -> own.nextInt(4) == 0 ? own.nextInt(1, 64) : own.nextInt(1, capacity + 1);
            handler.wanted = () -> own.nextInt(1, 2000);
            handler.take = (ready, wanted) -> own.nextInt(1, ready + 1);
        }
        start(client);
        start(server);
        Await.until(
                () -> "both have all; seed " + seed + ": " + client.receivedBytes + " and " + server.receivedBytes,
                () -> client.breaches.isEmpty()
                        && server.breaches.isEmpty()
                        && client.receivedBytes + 2000 > total
                        && server.receivedBytes + 2000 > total);
    }

    @Test
    void deliversWholeBlocksToAHandlerThatWantsThem() {
        Pair pair = connect();
        int capacity = pair.server().blockBytes();
        long total = 40L * capacity;
        TestHandler sender = TestHandler.sender(pair.client(), 3, total);
        TestHandler receiver = TestHandler.receiver(pair.server(), 3);
        receiver.wanted = () -> capacity;
        receiver.take = (ready, wanted) -> {
            if (ready < wanted) {
                receiver.breaches.add("only " + ready + " of " + wanted + " wanted bytes");
            }
            return capacity;
        };
        start(sender);
        start(receiver);
        Await.until("all received", () -> receiver.receivedBytes == total);
        assertThat(receiver.deliveries).isEqualTo(40);
    }

    @Test
    void unconsumedBytesPrecedeTheNextOnes() {
        Pair pair = connect();
        int capacity = pair.server().blockBytes();
        TestHandler sender = TestHandler.sender(pair.client(), 4, 20L * capacity);
        TestHandler receiver = TestHandler.receiver(pair.server(), 4);
        // Takes pieces that do not divide a block, so a tail is left almost every time.
        int piece = capacity / 3 + 7;
        receiver.wanted = () -> piece;
        receiver.take = (ready, wanted) -> Math.min(ready, piece);
        start(sender);
        start(receiver);
        long whole = 20L * capacity / piece * piece;
        Await.until("all whole pieces received", () -> receiver.receivedBytes == whole);
    }

    @Test
    void callsHandlerAgainWhileEnoughBytesAreReady() {
        Pair pair = connect();
        TestHandler sender = TestHandler.sender(pair.client(), 5, 1000);
        TestHandler receiver = TestHandler.receiver(pair.server(), 5);
        receiver.wanted = () -> 10;
        receiver.take = (ready, wanted) -> 10;
        start(sender);
        start(receiver);
        Await.until("all received", () -> receiver.receivedBytes == 1000);
        assertThat(receiver.deliveries).isEqualTo(100);
    }

    @Test
    void handlerMayPeekAndWantMoreBytes() {
        Pair pair = connect();
        TestHandler sender = TestHandler.sender(pair.client(), 6, 50_000);
        sender.sendSize = () -> 5000;
        TestHandler receiver = TestHandler.receiver(pair.server(), 6);
        int[] wanted = {4};
        receiver.wanted = () -> wanted[0];
        receiver.take = (ready, asked) -> {
            // Alternately looks at a header without consuming it, and consumes header and body.
            if (wanted[0] == 4) {
                wanted[0] = 5000;
                return 0;
            }
            wanted[0] = 4;
            return 5000;
        };
        start(sender);
        start(receiver);
        Await.until("all received", () -> receiver.receivedBytes == 50_000);
    }

    @Test
    void refusesBlocksUntilThePeerTakesWhatWasSent() {
        Pair pair = connect();
        long total = 64L << 20;
        TestHandler sender = start(TestHandler.sender(pair.client(), 7, total));
        Await.until("no block is free", () -> sender.refused);
        long[] before = {-1};
        Await.until("the sender stands still", () -> {
            boolean still = before[0] == sender.sentBytes;
            before[0] = sender.sentBytes;
            if (!still) {
                java.util.concurrent.locks.LockSupport.parkNanos(50_000_000);
            }
            return still;
        });
        assertThat(sender.sentBytes).isLessThan(total);
        int calls = sender.sendableCalls;
        TestHandler receiver = start(TestHandler.receiver(pair.server(), 7));
        Await.until(
                () -> "all received, not " + receiver.receivedBytes + " of " + total,
                () -> receiver.receivedBytes == total);
        assertThat(sender.sendableCalls).isGreaterThan(calls);
    }

    @Test
    void aReleasedBlockIsFreeAgain() {
        Pair pair = connect();
        TestHandler client = start(TestHandler.sender(pair.client(), 0, 0));
        onLane(client.lane, () -> {
            List<Block> held = new ArrayList<>();
            for (int round = 0; round < 50; round++) {
                Block block = client.lane.acquire();
                while (block != null) {
                    assertThat(block.capacity()).isEqualTo(client.lane.blockBytes());
                    held.add(block);
                    block = client.lane.acquire();
                }
                assertThat(held).isNotEmpty().hasSizeLessThan(100).doesNotHaveDuplicates();
                held.forEach(Block::release);
                held.clear();
            }
        });
        Await.until("told that blocks are free", () -> client.sendableCalls > 1);
    }

    @Test
    void blockCanBeSentOrReleasedOnlyOnce() {
        Pair pair = connect();
        TestHandler client = start(TestHandler.sender(pair.client(), 0, 0));
        onLane(client.lane, () -> {
            Block released = client.lane.acquire();
            assertThat(released).isNotNull();
            released.release();
            assertThatThrownBy(released::release).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> client.lane.send(released)).isInstanceOf(IllegalStateException.class);
        });
    }

    @Test
    void aReceivedBlockCannotBeReleased() {
        Pair pair = connect();
        start(TestHandler.sender(pair.client(), 8, 10));
        TestHandler receiver = TestHandler.receiver(pair.server(), 8);
        List<Throwable> thrown = new ArrayList<>();
        CountDownLatch seen = new CountDownLatch(1);
        LaneHandler releasing = new LaneHandler() {
            @Override
            public int wantedBytes() {
                return receiver.wantedBytes();
            }

            @Override
            public void onReceived(Block block) {
                try {
                    block.release();
                } catch (IllegalStateException e) {
                    thrown.add(e);
                }
                receiver.onReceived(block);
                seen.countDown();
            }

            @Override
            public void onSendable() {
                receiver.onSendable();
            }

            @Override
            public void onClosed(@Nullable TransferException why) {
                receiver.onClosed(why);
            }
        };
        handlers.add(receiver);
        pair.server().start(releasing);
        Await.until("received", seen);
        assertThat(thrown).hasSize(1);
    }

    @Test
    void closeDeliversWhatWasSentBefore() {
        Pair pair = connect();
        long total = 20_000_001;
        TestHandler sender = TestHandler.sender(pair.client(), 9, total);
        TestHandler receiver = start(TestHandler.receiver(pair.server(), 9));
        start(sender);
        Await.until("all handed to the lane", sender::sentAll);
        pair.client().close();
        Await.until("receiver closed", receiver.closed);
        assertThat(receiver.receivedBytes).isEqualTo(total);
        assertThat(receiver.cause).isNull();
        Await.until("sender closed", sender.closed);
        assertThat(sender.cause).isNull();
    }

    /** Whether lanes can drop received bytes ahead. */
    protected boolean dropsAhead() {
        return false;
    }

    @Test
    void closeDeliversWhatWasSentBeforeAlsoWhileThePeerIsSending() {
        Pair pair = connect();
        long total = 3_000_000;
        TestHandler closing = new TestHandler(pair.client(), 10, total, 11);
        TestHandler other = new TestHandler(pair.server(), 11, 1L << 40, 10);
        start(other);
        start(closing);
        Await.until("all handed to the lane", closing::sentAll);
        pair.client().close();
        Await.until("other end closed", other.closed);
        assertThat(other.receivedBytes).isEqualTo(total);
        assertThat(other.cause).isNull();
    }

    @Test
    void deliversBytesSentAndClosedBeforeTheStart() {
        Pair pair = connect();
        // As much as every transport can accept before the peer receives it.
        int total = pair.client().blockBytes();
        TestHandler sender = start(TestHandler.sender(pair.client(), 12, total));
        Await.until("all handed to the lane", sender::sentAll);
        pair.client().close();
        TestHandler receiver = start(TestHandler.receiver(pair.server(), 12));
        Await.until("receiver closed", receiver.closed);
        assertThat(receiver.receivedBytes).isEqualTo(total);
        assertThat(receiver.cause).isNull();
    }

    @Test
    void theServersCloseReachesTheClient() {
        Pair pair = connect();
        TestHandler client = start(TestHandler.receiver(pair.client(), 13));
        TestHandler server = start(TestHandler.sender(pair.server(), 13, 5000));
        Await.until("received", () -> client.receivedBytes == 5000);
        pair.server().close();
        Await.until("client closed", client.closed);
        Await.until("server closed", server.closed);
        assertThat(client.cause).isNull();
        assertThat(server.cause).isNull();
    }

    @Test
    void unconsumedBytesAtTheEndAreReportedAsLoss() {
        Pair pair = connect();
        TestHandler sender = start(TestHandler.sender(pair.client(), 14, 150));
        TestHandler receiver = TestHandler.receiver(pair.server(), 14);
        receiver.wanted = () -> 100;
        receiver.take = (ready, wanted) -> ready < 100 ? 0 : 100;
        start(receiver);
        Await.until("all handed to the lane", sender::sentAll);
        pair.client().close();
        Await.until("receiver closed", receiver.closed);
        assertThat(receiver.receivedBytes).isEqualTo(100);
        assertThat(receiver.cause)
                .asInstanceOf(type(TransferException.class))
                .extracting(TransferException::kind)
                .isEqualTo(FailureKind.CONNECTION_LOST);
    }

    @Test
    void theEndOfTheStreamDeliversFewerBytesThanWanted() {
        Pair pair = connect();
        TestHandler sender = start(TestHandler.sender(pair.client(), 15, 150));
        TestHandler receiver = TestHandler.receiver(pair.server(), 15);
        receiver.wanted = () -> 100;
        start(receiver);
        Await.until("all handed to the lane", sender::sentAll);
        pair.client().close();
        Await.until("receiver closed", receiver.closed);
        assertThat(receiver.receivedBytes).isEqualTo(150);
        assertThat(receiver.cause).isNull();
    }

    @Test
    @Tag("sanitized")
    void abortReportsItsCauseHereAndALossAtThePeer() {
        Pair pair = connect();
        TestHandler client = start(new TestHandler(pair.client(), 16, 1L << 40, 17));
        TestHandler server = start(new TestHandler(pair.server(), 17, 1L << 40, 16));
        Await.until("traffic", () -> server.receivedBytes > 1_000_000 && client.receivedBytes > 1_000_000);
        TransferException cause = madeUp();
        pair.client().abort(cause);
        Await.until("client closed", client.closed);
        assertThat(client.cause).isSameAs(cause);
        Await.until("server closed", server.closed);
        assertThat(server.cause)
                .asInstanceOf(type(TransferException.class))
                .extracting(TransferException::kind)
                .isEqualTo(FailureKind.CONNECTION_LOST);
        assertThat(server.cause).hasMessageContaining(server.lane.peer());
    }

    @Test
    void noCallsFollowAbortFromTheHandler() {
        Pair pair = connect();
        TransferException cause = madeUp();
        TestHandler server = TestHandler.receiver(pair.server(), 18);
        server.take = (ready, wanted) -> {
            server.lane.abort(cause);
            return 1;
        };
        start(server);
        start(TestHandler.sender(pair.client(), 18, 1_000_000));
        Await.until("server closed", server.closed);
        assertThat(server.deliveries).isEqualTo(1);
        assertThat(server.cause).isSameAs(cause);
    }

    @Test
    void closingTwiceIsClosingOnce() {
        Pair pair = connect();
        TestHandler client = start(TestHandler.sender(pair.client(), 19, 1000));
        TestHandler server = start(TestHandler.receiver(pair.server(), 19));
        Await.until("received", () -> server.receivedBytes == 1000);
        for (int round = 0; round < 3; round++) {
            pair.client().close();
            pair.server().close();
        }
        Await.until("client closed", client.closed);
        Await.until("server closed", server.closed);
        pair.client().close();
        pair.client().abort(madeUp());
        pair.server().abort(madeUp());
        assertThat(client.cause).isNull();
        assertThat(server.cause).isNull();
    }

    @Test
    void startingAClosedLaneNotifiesItsHandler() {
        Pair pair = connect();
        TransferException cause = madeUp();
        pair.client().abort(cause);
        pair.server().close();
        TestHandler client = start(TestHandler.receiver(pair.client(), 0));
        TestHandler server = start(TestHandler.receiver(pair.server(), 0));
        Await.until("client closed", client.closed);
        Await.until("server closed", server.closed);
        assertThat(client.cause).isSameAs(cause);
        assertThat(server.cause).isNull();
        assertThat(client.sendableCalls).isZero();
    }

    @Test
    void aLaneIsStartedOnlyOnce() {
        Pair pair = connect();
        TestHandler client = start(TestHandler.sender(pair.client(), 0, 0));
        assertThatThrownBy(() -> pair.client().start(client)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aHandlerThatThrowsEndsItsLane() {
        Pair pair = connect();
        TestHandler server = TestHandler.receiver(pair.server(), 20);
        CountDownLatch closed = new CountDownLatch(1);
        AtomicReference<@Nullable TransferException> told = new AtomicReference<>();
        pair.server().start(new LaneHandler() {
            @Override
            public int wantedBytes() {
                return 1;
            }

            @Override
            public void onReceived(Block block) {
                throw new IllegalArgumentException("made up");
            }

            @Override
            public void onSendable() {}

            @Override
            public void onClosed(@Nullable TransferException why) {
                told.set(why);
                closed.countDown();
            }
        });
        start(TestHandler.sender(pair.client(), 20, 1000));
        Await.until("server closed", closed);
        assertThat(told.get())
                .asInstanceOf(type(TransferException.class))
                .extracting(TransferException::kind)
                .isEqualTo(FailureKind.INTERNAL);
        assertThat(server.deliveries).isZero();
    }

    @Test
    void tasksRunOnTheLanesThread() {
        Pair pair = connect();
        AtomicReference<@Nullable Thread> early = new AtomicReference<>();
        pair.server().execute(() -> early.set(Thread.currentThread()));
        TestHandler server = start(TestHandler.receiver(pair.server(), 0));
        AtomicReference<@Nullable Thread> later = new AtomicReference<>();
        CountDownLatch ran = new CountDownLatch(2);
        server.lane.execute(() -> {
            later.set(Thread.currentThread());
            ran.countDown();
        });
        long startNs = System.nanoTime();
        AtomicReference<Long> ranNs = new AtomicReference<>(0L);
        server.lane.schedule(
                () -> {
                    ranNs.set(System.nanoTime());
                    ran.countDown();
                },
                30,
                TimeUnit.MILLISECONDS);
        Await.until("tasks", ran);
        Await.until("started", server.firstSendable);
        assertThat(server.thread).isNotNull();
        assertThat(later.get()).isSameAs(server.thread);
        assertThat(early.get()).isSameAs(server.thread);
        assertThat(ranNs.get() - startNs).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(29));
    }

    @Test
    void tasksAreDroppedOnceTheLaneIsClosed() {
        Pair pair = connect();
        TestHandler client = start(TestHandler.sender(pair.client(), 0, 0));
        Set<String> ran = ConcurrentHashMap.newKeySet();
        // On the lane's thread, so that the task cannot become due before the lane is closed.
        client.lane.execute(() -> {
            client.lane.schedule(() -> ran.add("scheduled"), 5, TimeUnit.MILLISECONDS);
            client.lane.abort(madeUp());
        });
        Await.until("closed", client.closed);
        client.lane.execute(() -> ran.add("executed"));
        client.lane.schedule(() -> ran.add("scheduled later"), 1, TimeUnit.MILLISECONDS);
        Await.pass(Duration.ofMillis(50));
        ends.client().close();
        assertThat(ran).isEmpty();
    }

    @Test
    void taskOfTheOwnerMaySend() {
        Pair pair = connect();
        TestHandler client = TestHandler.sender(pair.client(), 21, 5_000_000);
        client.sendSize = () -> 0;
        TestHandler quiet = TestHandler.receiver(pair.client(), 0);
        TestHandler server = start(TestHandler.receiver(pair.server(), 21));
        start(quiet);
        onLane(pair.client(), () -> {
            client.sendSize = () -> 100;
            for (int index = 0; index < 1; index++) {
                Block block = pair.client().acquire();
                assertThat(block).isNotNull();
                SplittableRandom bytes = new SplittableRandom(21);
                for (int count = 0; count < 100; count++) {
                    block.buffer().put((byte) bytes.nextInt());
                }
                block.buffer().flip();
                pair.client().send(block);
            }
        });
        Await.until("received", () -> server.receivedBytes == 100);
    }

    @Test
    void manyLanesWorkAtOnce() {
        long total = 1_000_000;
        int lanes = lanesAtOnce();
        List<TestHandler> all = new ArrayList<>();
        for (int lane : IntStream.range(0, lanes).toArray()) {
            Pair pair = connect();
            all.add(start(new TestHandler(pair.client(), 100 + lane, total, 200 + lane)));
            all.add(start(new TestHandler(pair.server(), 200 + lane, total, 100 + lane)));
        }
        for (TestHandler handler : all) {
            Await.until("all received", () -> handler.receivedBytes == total);
        }
        assertThat(all.stream().map(handler -> handler.thread).distinct()).hasSize(2 * lanes);
    }

    @Test
    void aLaneThatWaitsDoesNotHoldUpAnother() {
        Pair stuck = connect();
        Pair free = connect();
        CountDownLatch go = new CountDownLatch(1);
        start(TestHandler.receiver(stuck.server(), 0));
        stuck.server().execute(() -> Await.until("the test goes on", go));
        TestHandler receiver = start(TestHandler.receiver(free.server(), 22));
        start(TestHandler.sender(free.client(), 22, 3_000_000));
        Await.until("the other lane's data", () -> receiver.receivedBytes == 3_000_000);
        go.countDown();
        start(TestHandler.receiver(stuck.client(), 0));
    }

    @Test
    void aSendingHandlerDoesNotStarveItsTasks() {
        Pair pair = connect();
        TestHandler sender = start(TestHandler.sender(pair.client(), 23, 1L << 40));
        TestHandler receiver = start(TestHandler.receiver(pair.server(), 23));
        Await.until("traffic", () -> receiver.receivedBytes > 1_000_000);
        onLane(sender.lane, () -> {});
        sender.lane.abort(madeUp());
        Await.until("closed", sender.closed);
    }

    /** A lane that sends keeps receiving, however fast the peer consumes the data. */
    @Test
    void aSendingHandlerDoesNotStarveItsReceiving() {
        Pair pair = connect();
        long total = 2_000_000;
        TestHandler both = new TestHandler(pair.server(), 34, 1L << 40, 35);
        both.sendSize = () -> 1000;
        start(both);
        start(new TestHandler(pair.client(), 35, total, 34));
        Await.until("received", () -> both.receivedBytes == total);
        // A lane that polls the socket only when nothing is left to send, or once a second, sends a hundred times as
        // much.
        assertThat(both.sentBytes).isLessThan(100 * total);
        pair.server().abort(madeUp());
        Await.until("closed", both.closed);
    }

    @Test
    void dropsExactlyTheRequestedBytes() {
        Pair pair = connect();
        long total = 5_000_000;
        TestHandler receiver = new TestHandler(pair.server(), 0, 0, 36) {
            @Override
            public void onReceived(Block block) {
                super.onReceived(block);
                long left = total - receivedBytes - droppedBytes;
                onDropped(lane.dropAhead((int) Math.min(70_001, left)));
            }
        };
        start(receiver);
        TestHandler sender = start(TestHandler.sender(pair.client(), 36, total));
        Await.until("all handed to the lane", sender::sentAll);
        pair.client().close();
        Await.until("closed", receiver.closed);
        assertThat(receiver.cause).isNull();
        assertThat(receiver.receivedBytes + receiver.droppedBytes).isEqualTo(total);
        if (dropsAhead()) {
            assertThat(receiver.droppedBytes).isPositive();
        } else {
            assertThat(receiver.droppedBytes).isZero();
        }
    }

    @Test
    void droppingAheadEndsWithTheLane() {
        Pair pair = connect();
        CountDownLatch dropping = new CountDownLatch(1);
        TestHandler receiver = new TestHandler(pair.server(), 0, 0, 37) {
            @Override
            public void onReceived(Block block) {
                super.onReceived(block);
                dropping.countDown();
                onDropped(lane.dropAhead(Integer.MAX_VALUE));
            }
        };
        start(receiver);
        start(TestHandler.sender(pair.client(), 37, 1L << 40));
        Await.until("it drops", dropping);
        pair.server().abort(madeUp());
        Await.until("closed", receiver.closed);
        assertThat(receiver.cause).isNotNull();
    }

    @Test
    void closingTheListenerLeavesLanesAlone() {
        Pair pair = connect();
        TestHandler receiver = start(TestHandler.receiver(pair.server(), 24));
        InetSocketAddress address = listener.address();
        listener.close();
        listener.close();
        start(TestHandler.sender(pair.client(), 24, 500_000));
        Await.until("received", () -> receiver.receivedBytes == 500_000);
        assertThatThrownBy(() -> ends.client().connect(address, null, ends.clear(), TIMEOUT_MS))
                .asInstanceOf(type(TransferException.class))
                .extracting(TransferException::kind)
                .isEqualTo(FailureKind.CANNOT_CONNECT);
    }

    @Test
    void closingTheTransportEndsEveryLane() {
        Pair first = connect();
        Pair second = connect();
        TestHandler running = start(TestHandler.sender(first.client(), 25, 1L << 40));
        TestHandler receiver = start(TestHandler.receiver(first.server(), 25));
        Await.until("traffic", () -> receiver.receivedBytes > 1000);
        ends.client().close();
        Await.until("closed", running.closed);
        assertThat(running.cause).isNotNull();
        Await.until("other end closed", receiver.closed);
        TestHandler late = start(TestHandler.receiver(second.server(), 0));
        Await.until("late one closed", late.closed);
        assertThatThrownBy(() -> connect()).isInstanceOf(IllegalStateException.class);
    }

    /** A process that ends closes its lanes and then its transport, and a lane may notice its own close late. */
    @Test
    void closingTheTransportLetsClosingLanesFinish() {
        Pair pair = connect();
        TestHandler receiver = start(TestHandler.receiver(pair.server(), 26));
        start(TestHandler.sender(pair.client(), 26, 1000));
        Await.until("received", () -> receiver.receivedBytes == 1000);
        CountDownLatch late = new CountDownLatch(1);
        pair.client().execute(() -> Await.until("the lane goes on", late));
        pair.client().close();
        var closing = InBackground.run(() -> ends.client().close()).awaitWaiting();
        late.countDown();
        Await.until("other end closed", receiver.closed);
        assertThat(receiver.cause).isNull();
        closing.result();
    }

    @Test
    void connectFailsWithoutListener() {
        InetSocketAddress nobody = nobody();
        assertThatThrownBy(() -> ends.client().connect(nobody, null, ends.clear(), TIMEOUT_MS))
                .asInstanceOf(type(TransferException.class))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(FailureKind.CANNOT_CONNECT))
                .satisfies(e -> assertThat(e).hasMessageContaining(":" + nobody.getPort()));
    }

    @Test
    void namesItselfAndItsPeers() {
        Pair pair = connect();
        assertThat(ends.client().name()).isNotBlank();
        assertThat(pair.client().peer()).isNotBlank();
        assertThat(pair.server().peer()).isNotBlank();
        assertThat(pair.client().description()).startsWith(ends.client().name());
        assertThat(pair.server().description()).startsWith(ends.server().name());
    }
}
