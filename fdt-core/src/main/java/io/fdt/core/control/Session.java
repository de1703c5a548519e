package io.fdt.core.control;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.Reach;
import io.fdt.core.basic.Right;
import io.fdt.core.basic.Word;
import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Resource;
import io.fdt.core.digest.Checksums;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.Permission;
import io.fdt.core.security.Secret;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionCounters;
import io.fdt.core.stats.Summary;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One session at either side: its identity, its control channel, and the task queue of its one thread. Other threads
 * post tasks; {@link #run} runs them one by one, so all state of a {@link SessionHandler} belongs to one thread.
 */
public final class Session implements Executor {
    private static final int TICK_MS = 50;
    private static final long GOODBYE_MS = 10_000;
    /** A user who stops a copy waits no longer to learn what is kept. */
    private static final long LAST_COUNT_MS = 1_000;
    /** With more than this waiting for the session's thread, the peer is not read from. */
    private static final long ENOUGH_WAITING_BYTES = 128L << 10;
    /** The heap that a waiting message takes besides its bytes. */
    private static final long WAITING_MESSAGE_BYTES = 128;
    /** A link that is not read from delivers no more than it had received: one message and a few records. */
    private static final long MAX_WAITING_BYTES = 2L * Bounds.MAX_MESSAGE_BYTES;

    /** How long a message may wait for room in the session's budget before the session ends. */
    private static final long ROOM_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final SessionMessage.Opened opened;
    private final Secret secret;
    private final ControlChannel channel;
    private final Permission permission;
    private final LinkedBlockingQueue<Runnable> mailbox = new LinkedBlockingQueue<>();
    private final LongAdder sent = new LongAdder();
    private final AtomicLong waitingBytes = new AtomicLong();
    /** Encoded messages in order; for each, the mailbox has a task that takes the first. */
    private final Queue<byte[]> waiting = new ConcurrentLinkedQueue<>();

    private final Budget budget;
    private final CountDownLatch linkClosed = new CountDownLatch(1);
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile SessionMessage.@Nullable Counted counted;
    private final CountDownLatch lastCounted = new CountDownLatch(1);
    private final SessionCounters counters = new SessionCounters();
    private final SessionActivity activity;
    private final HostExchange hosts;
    private final Clock clock;
    private final long startedNanos;
    private volatile @Nullable TransferException interruption;
    private volatile @Nullable SessionHandler handler;
    private volatile @Nullable AccessKey client;
    private volatile boolean mayLend;
    private volatile @Nullable Consumer<String> verifying;
    /** The newest token that the client has shown, until it is verified. */
    private final AtomicReference<@Nullable String> shown = new AtomicReference<>();

    private volatile boolean outlivesClient;
    private volatile boolean endsWithLink;
    private volatile Consumer<ControlLink> nextUse = ControlLink::close;
    /** Null unless it was left. */
    private volatile @Nullable Long leftNanos;

    private volatile Object turns = new Object();
    // The rest belongs to the session's thread.
    /** Messages whose turn has come, and for which the budget had no room. */
    private int overdue;

    private long overdueSinceNanos;
    private boolean closing;
    private @Nullable TransferException closeCause;

    /**
     * @param opened what the server sends to the client about the session
     * @param budget charged with everything that the peer makes this side hold; its owner closes it
     */
    Session(SessionMessage.Opened opened, ControlChannel channel, Permission permission, Budget budget, Clock clock) {
        this.opened = opened;
        this.secret = Secret.ofBytes(opened.secret());
        this.channel = channel;
        this.permission = permission;
        this.budget = budget;
        channel.chargeTo(budget);
        this.clock = clock;
        this.activity = new SessionActivity(name(), channel.peer(), counters);
        this.startedNanos = clock.nanoTime();
        this.hosts = new HostExchange(channel, clock, activity, this::hasLostPeer);
        activity.meet(hosts);
    }

    /** The name of the session in messages, logs and receipts: short, and not secret. */
    public String name() {
        return HexFormat.of().formatHex(id(), 0, 8);
    }

    /** The tag in every frame of this session. */
    public long tag() {
        return ByteBuffer.wrap(id()).getLong();
    }

    byte[] id() {
        return opened.sessionId();
    }

    Secret secret() {
        return secret;
    }

    /** What the peer makes this side hold. */
    public Budget budget() {
        return budget;
    }

    public int lanes() {
        return opened.lanes();
    }

    public boolean clearLanes() {
        return opened.clearLanes();
    }

    /** The checksums that both sides of a copy compute, besides those that the client requested. */
    public Checksums checksums() {
        return opened.checksums();
    }

    /** The server's port for lanes over RDMA; 0 for none. */
    int rdmaPort() {
        return opened.rdmaPort();
    }

    /** Whether the client's key has this right. Always true at the client. */
    public boolean permits(Right right) {
        return permission.permits(right);
    }

    /** Throws REFUSED if the client's key does not have this right. */
    public void require(Right right) {
        if (!permits(right)) {
            throw Cause.NO_RIGHT.failure("this key does not permit to " + Word.of(right) + "; its rights are "
                    + permission.rights().stream().map(Word::of).collect(Collectors.joining(", ")));
        }
    }

    /** Whether the client's key lets it set the owners of files. */
    public boolean mayGiveOwners() {
        return permission.owners();
    }

    /**
     * Sets the key of the client, and whether the client holds that key itself. For the server, before the session is
     * served.
     */
    void admittedBy(AccessKey key, boolean holder) {
        client = key;
        mayLend = holder;
    }

    /** Its client has the same key, or a newer token: then the session ends later. */
    void renew(AccessKey shown) {
        client = shown;
    }

    /**
     * Has the newest token that the client shows while the session is open verified on the session's thread, one at a
     * time: until {@link #onVerified}. For the server.
     */
    void whenShown(Consumer<String> verify) {
        verifying = verify;
    }

    private void onShown(String token) {
        if (verifying != null && shown.getAndSet(token) == null) {
            verifyShown();
        }
    }

    private void verifyShown() {
        execute(() -> Objects.requireNonNull(verifying).accept(Objects.requireNonNull(shown.get())));
    }

    /** The token that was to be verified is verified, or no good. Meanwhile the client may have shown a newer one. */
    void onVerified(String token) {
        if (!shown.compareAndSet(token, null)) {
            verifyShown();
        }
    }

    /** The client's key, if it holds it itself: a delegation cannot be delegated further. Null at the client. */
    @Nullable AccessKey admittedBy() {
        return mayLend ? client : null;
    }

    /** The client's key. For the server, once it has {@linkplain #admittedBy admitted} the client. */
    AccessKey key() {
        return Objects.requireNonNull(client);
    }

    /** Where the client has all these rights. */
    public Reach reach(Collection<Right> needed) {
        return permission.reach(needed);
    }

    /** The rate limit of all copies of the client's key; 0 for none. */
    public long keyRateBitsPerSecond() {
        return permission.limits().rateBitsPerSecond();
    }

    /** The maximum data of one transfer with the client's key. */
    public long keyBytes() {
        return permission.limits().bytes();
    }

    /** The name of the client's key; empty at the client. */
    public String keyName() {
        AccessKey key = client;
        return key == null ? "" : key.name();
    }

    /** The id of the client's key; empty at the client. */
    public String keyId() {
        AccessKey key = client;
        return key == null ? "" : key.id();
    }

    /** The session goes on when its client leaves, or is lost. For the server, before {@link #attach}. */
    public void outliveClient() {
        outlivesClient = true;
    }

    /**
     * The session ends soon after its link: what it does is easily done again. For the server, before {@link #attach}.
     */
    public void endWithLink() {
        endsWithLink = true;
    }

    boolean endsWithLink() {
        return endsWithLink;
    }

    boolean outlivesClient() {
        return outlivesClient;
    }

    /** This side is of use though it achieves nothing itself, so the session is not idle. */
    public void beUseful() {
        sent.increment();
    }

    public SessionCounters counters() {
        return counters;
    }

    public SessionActivity activity() {
        return activity;
    }

    public String peer() {
        return channel.peer();
    }

    /** How long the other end may be silent; at a server no longer than its operator permits. */
    public long timeoutNanos() {
        return channel.timeoutNanos();
    }

    public Clock clock() {
        return clock;
    }

    public long elapsedNanos() {
        return clock.nanoTime() - startedNanos;
    }

    /** Thread-safe. */
    public void send(ControlMessage message) {
        sent.increment();
        channel.send(message);
    }

    /** Sends figures that are due whether or not anything was achieved since the last ones. Thread-safe. */
    public void report(ControlMessage figures) {
        channel.send(figures);
    }

    /**
     * Changes with all that this side achieves: its messages, and bytes over lanes. What the peer only says does not
     * count, nor does what this side only {@linkplain #report reports}.
     */
    long progress() {
        long ofLanes = activity.lanes().stream().mapToLong(LaneActivity::bytes).sum();
        return sent.sum() + counters.sum(Counter.SENT_BYTES) + counters.sum(Counter.RECEIVED_BYTES) + ofLanes;
    }

    /** The summary of a session that moved this much, at its server. */
    public Summary summary(@Nullable TransferException failure, long files, long bytes, long bytesMoved) {
        return Summary.of(failure, files, bytes, bytesMoved, lanes(), elapsedNanos(), name());
    }

    /** Bytes of messages that were not passed to the network yet. */
    public long queuedBytes() {
        return channel.queuedBytes();
    }

    /** Runs the task on the session's thread. Thread-safe. */
    @Override
    public void execute(Runnable task) {
        mailbox.add(task);
    }

    /** Ends the session from another thread, with this failure. Thread-safe. */
    public void interrupt(TransferException why) {
        interruption = why;
        // Its thread may wait for its client: for its return, or for its goodbye.
        budget.resume();
        linkClosed.countDown();
        execute(() -> {});
    }

    /** The handler that receives lanes; null before the session runs. */
    @Nullable SessionHandler handler() {
        return handler;
    }

    /** Sets the handler. Call it before a peer can know the session, so that no lane or message arrives too early. */
    public void attach(SessionHandler newHandler) {
        handler = newHandler;
        channel.start(new ControlChannel.Handler() {
            @Override
            public void onMessage(byte[] encoded) {
                long bytes = waitingBytes.addAndGet(encoded.length + WAITING_MESSAGE_BYTES);
                if (bytes > MAX_WAITING_BYTES) {
                    throw Cause.MALFORMED.failure(channel.peer() + " sent messages faster than permitted");
                }
                if (bytes > ENOUGH_WAITING_BYTES) {
                    channel.hold();
                }
                waiting.add(encoded);
                execute(Session.this::takeNext);
            }

            @Override
            public void onAside(Class<? extends ControlMessage> type, byte[] encoded) {
                if (type == SessionMessage.AskHost.class) {
                    hosts.onAsked();
                } else if ((type == SessionMessage.Counted.class
                                || type == SessionMessage.Bearer.class
                                || hosts.expectsReport())
                        && budget.tryTake(Resource.HEAP, heapBytes(encoded))) {
                    try {
                        ControlMessage told = decode(encoded);
                        if (told instanceof SessionMessage.Counted figures) {
                            counted = figures;
                            if (figures.last()) {
                                lastCounted.countDown();
                            }
                        } else if (told instanceof SessionMessage.Bearer bearer) {
                            onShown(bearer.token());
                        } else if (told instanceof SessionMessage.StageReport stage) {
                            hosts.onStage(stage);
                        } else {
                            hosts.onReport(((SessionMessage.HostReport) told).view(), budget);
                        }
                    } finally {
                        budget.give(Resource.HEAP, heapBytes(encoded));
                    }
                }
            }

            @Override
            public void onClosed(@Nullable TransferException cause) {
                hosts.close();
                linkClosed.countDown();
                lastCounted.countDown();
                if (client != null && !outlivesClient) {
                    // The session's thread may be busy with something that nobody needs any more.
                    budget.end(cause != null ? cause : Cause.CONNECTION_LOST.failure(peer() + " has left"));
                }
                execute(() -> {
                    closing = true;
                    closeCause = cause;
                    closeInTurn(newHandler);
                });
            }
        });
    }

    private long heapBytes(byte[] encoded) {
        return ControlCodec.heapBytes(encoded, peer());
    }

    private ControlMessage decode(byte[] encoded) {
        return ControlCodec.decode(encoded, channel.place());
    }

    private void takeNext() {
        overdue++;
        takeOverdue();
    }

    /** Passes on the messages whose turn it is, as long as the budget has room for them. */
    private void takeOverdue() {
        while (overdue > 0) {
            byte[] next = waiting.peek();
            SessionHandler attached = handler;
            if (next == null || attached == null) {
                throw new IllegalStateException("a turn without a message");
            }
            Class<? extends ControlMessage> type = ControlCodec.typeOf(next, peer());
            if (type != SessionMessage.Failed.class && !attached.takes(type)) {
                throw Cause.MALFORMED.failure(
                        peer() + " sent a message that its role must not send: " + type.getSimpleName());
            }
            long heapBytes = heapBytes(next);
            if (!budget.tryTake(Resource.HEAP, heapBytes)) {
                waitForRoom();
                return;
            }
            overdueSinceNanos = 0;
            waiting.remove();
            overdue--;
            if (waitingBytes.addAndGet(-next.length - WAITING_MESSAGE_BYTES) <= ENOUGH_WAITING_BYTES) {
                channel.readOnIfHeld();
            }
            try {
                attached.onMessage(decode(next));
            } finally {
                budget.give(Resource.HEAP, heapBytes);
            }
            closeInTurn(attached);
        }
    }

    private void waitForRoom() {
        long now = clock.nanoTime();
        if (overdueSinceNanos == 0) {
            overdueSinceNanos = now;
        } else if (now - overdueSinceNanos > ROOM_NANOS) {
            throw Budget.usedUp(Resource.HEAP);
        }
    }

    /** The end of the channel follows all of its messages. */
    private void closeInTurn(SessionHandler attached) {
        if (closing && overdue == 0 && waiting.isEmpty()) {
            closing = false;
            attached.onLinkClosed(closeCause);
        }
    }

    /** Tells the client that the session is open, so that it opens its lanes. For the server, after {@link #attach}. */
    public void announce() {
        channel.sendOnLink(opened);
        known();
    }

    /** Called when the other end knows that this session is open. */
    void known() {
        hosts.begin();
    }

    /** Throws the failure that interrupted it; for code that waits on the session's thread. */
    public void throwIfInterrupted() {
        TransferException why = interruption;
        if (why != null) {
            throw why;
        }
    }

    /** Whether the other session has the same client, as far as a server can tell: the same key and host. */
    public boolean isOfSameClientAs(Session other) {
        return client != null
                && other.client != null
                && keyId().equals(other.keyId())
                && hostOf(peer()).equals(hostOf(other.peer()));
    }

    /** The peer without its port. */
    static String hostOf(String peer) {
        return peer.substring(0, Math.max(0, peer.lastIndexOf(':')));
    }

    /** Whether the client has no connection, from which it may still recover, or has left. */
    public boolean hasLostClient() {
        return channel.isLost() || channel.isOver();
    }

    /** Whether the other end has gone although it is needed; it may return. */
    private boolean hasLostPeer() {
        return !outlivesClient && (channel.isLost() || (channel.isOver() && !channel.hasPeerLeft()));
    }

    /** Whether the client closed the channel and all lanes, as the end of its process does; silence does not count. */
    boolean isDeserted() {
        return channel.isHungUp(OpenSessions.RECONNECT_NANOS)
                && activity.lanes().stream().noneMatch(LaneActivity::isOpen);
    }

    ControlChannel channel() {
        return channel;
    }

    /** Runs the session on the calling thread until its handler is done; throws the failure that ended it early. */
    public void run() throws InterruptedException {
        SessionHandler attached = handler;
        if (attached == null) {
            throw new IllegalStateException("no client is connected to the session");
        }
        long lastTick = clock.nanoTime();
        while (!attached.isDone()) {
            throwIfInterrupted();
            long now = clock.nanoTime();
            if (now - lastTick >= TimeUnit.MILLISECONDS.toNanos(TICK_MS)) {
                lastTick = now;
                counters.onTick(now - startedNanos);
                attached.onTick();
                takeOverdue();
            }
            Runnable task = mailbox.poll();
            if (task == null && !attached.work()) {
                task = mailbox.poll(TICK_MS, TimeUnit.MILLISECONDS);
            }
            if (task != null) {
                task.run();
            }
        }
    }

    /**
     * Serves the client: attaches the handler, tells the client that the session is open, and runs it to its end.
     *
     * @param begin sends the first messages
     */
    public void serve(SessionHandler served, Runnable begin) throws InterruptedException {
        attach(served);
        announce();
        begin.run();
        runToGoodbye();
    }

    /**
     * Like {@link #serve}, for a session that is already announced. The client closes first, after the last message: it
     * would report a lane that ended before as lost. An interruption ends the wait for it.
     */
    public void runToGoodbye() throws InterruptedException {
        run();
        linkClosed.await(GOODBYE_MS, TimeUnit.MILLISECONDS);
    }

    /** Tells the other end figures that describe this moment; what is lost with a link is not resent. Thread-safe. */
    public void tell(SessionMessage.Counted figures) {
        channel.sendOnLink(figures);
    }

    /** What the receiver of a copy has counted last; null if it has told nothing yet. Thread-safe. */
    public SessionMessage.@Nullable Counted counted() {
        return counted;
    }

    /** Tells the receiver of a copy that it stops, before {@link #awaitLastCount} and {@link #end}. */
    public void stop(TransferException why) {
        channel.send(new SessionMessage.Failed(why.failure()));
    }

    /** Waits a moment until the receiver of a copy has told what it keeps, or its link is closed. */
    public void awaitLastCount() {
        try {
            var unused = lastCounted.await(LAST_COUNT_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Sends the end of the session, with the reason if there is one, and closes the control channel. Only the first
     * call has an effect.
     */
    public void end(@Nullable TransferException cause) {
        if (!ended.compareAndSet(false, true)) {
            return;
        }
        activity.end();
        hosts.close();
        if (cause != null) {
            channel.send(new SessionMessage.Failed(cause.failure()));
        }
        channel.close();
    }

    /** Like {@code end(null)}, but another session may follow on the link. */
    public void leave() {
        if (ended.compareAndSet(false, true)) {
            activity.end();
            hosts.close();
            channel.leave(link -> {
                leftNanos = clock.nanoTime();
                nextUse.accept(link);
            });
        }
    }

    /**
     * Whether this session may use the lanes of another one, which the server still has. It knows that they have left
     * only if that session was on the same link before.
     */
    boolean follows(Session other) {
        Long since = other.leftNanos;
        return this != other && turns == other.turns && since != null && clock.nanoTime() - since < Client.LEFT_NANOS;
    }

    /** All sessions that follow each other on a link have the same. */
    Object turns() {
        return turns;
    }

    /** Follows the sessions with these turns. Call it before the session is used. */
    void follow(Object ofLink) {
        turns = ofLink;
    }

    /** What becomes of the link of a session that is {@linkplain #leave left}; otherwise it is closed. */
    void whenLeft(Consumer<ControlLink> next) {
        nextUse = next;
    }
}
