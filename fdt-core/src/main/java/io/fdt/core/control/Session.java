package io.fdt.core.control;

import io.fdt.core.Clock;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.Permission;
import io.fdt.core.security.Secret;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionCounters;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.Capability;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One session as either side sees it: its identity, its control channel, and the mailbox of its one thread. Whoever
 * has something for the session posts a task; {@link #run} takes the tasks one by one, so that everything a
 * {@link SessionHandler} keeps belongs to one thread.
 */
public final class Session implements Executor {
    private static final int TICK_MS = 50;
    private static final long GOODBYE_MS = 10_000;
    /** A peer that keeps its windows never has so many messages waiting, nor so large ones. */
    private static final int MAX_WAITING_MESSAGES = Bounds.MAX_LIST;

    private static final long MAX_WAITING_BYTES = 32L << 20;

    private final SessionMessage.Opened opened;
    private final Secret secret;
    private final ControlChannel channel;
    private final Permission permission;
    private final LinkedBlockingQueue<Runnable> mailbox = new LinkedBlockingQueue<>();
    private final AtomicLong waitingBytes = new AtomicLong();
    private final CountDownLatch linkClosed = new CountDownLatch(1);
    private final AtomicBoolean ended = new AtomicBoolean();
    private final SessionCounters counters = new SessionCounters();
    private final SessionActivity activity;
    private final HostExchange hosts;
    private final long peerCapabilities;
    private final Clock clock;
    private final long startedNanos;
    private volatile @Nullable TransferException interruption;
    private volatile @Nullable SessionHandler handler;
    private volatile @Nullable AccessKey client;
    private volatile boolean mayLend;

    /**
     * @param opened what the server says to the client of the session
     * @param peerCapabilities bits of {@link Capability}
     */
    Session(
            SessionMessage.Opened opened,
            ControlChannel channel,
            Permission permission,
            long peerCapabilities,
            Clock clock) {
        this.opened = opened;
        this.secret = Secret.ofBytes(opened.secret());
        this.channel = channel;
        this.permission = permission;
        this.peerCapabilities = peerCapabilities;
        this.clock = clock;
        this.activity = new SessionActivity(name(), channel.peer(), counters);
        this.startedNanos = clock.nanoTime();
        this.hosts = new HostExchange(channel, clock, peerCapabilities, activity::host);
        activity.meet(hosts);
    }

    /** The session's name in messages, logs and receipts: short, and no secret. */
    public String name() {
        return HexFormat.of().formatHex(id(), 0, 8);
    }

    /** What every frame of this session carries. */
    public long tag() {
        return ByteBuffer.wrap(id()).getLong();
    }

    byte[] id() {
        return opened.sessionId();
    }

    Secret secret() {
        return secret;
    }

    /** How many lanes both sides agreed on. */
    public int lanes() {
        return opened.lanes();
    }

    public boolean clearLanes() {
        return opened.clearLanes();
    }

    /** @throws TransferException VERSION, naming the options that a peer without these would pass over */
    public void requireCan(long capabilities, String options) {
        if (!peerCan(capabilities)) {
            throw FailureKind.VERSION.failure(
                    peer() + " is of a release without " + options + "; upgrade it, or leave the option out");
        }
    }

    /** Whether the peer said that it can do all of this. */
    public boolean peerCan(long capabilities) {
        return (capabilities & ~peerCapabilities) == 0;
    }

    /** Where the server takes lanes over RDMA; 0 where it does not. */
    int rdmaPort() {
        return opened.rdmaPort();
    }

    /** Whether the client's key lets it write. On a client's own side always. */
    public boolean mayWrite() {
        return permission.writable();
    }

    /** Whether the client's key lets it give files to other users. */
    public boolean mayGiveOwners() {
        return permission.owners();
    }

    /** By whose key the client came, and whether it holds that itself. Server only, before the session is served. */
    void admittedBy(AccessKey key, boolean holder) {
        client = key;
        mayLend = holder;
    }

    /** The key by which the client came; null on a client's own side, and for a delegation, which cannot be lent on. */
    @Nullable AccessKey admittedBy() {
        return mayLend ? client : null;
    }

    /** The directories that the client's key confines it to, absolute; empty: all that is exported. */
    public List<String> confinedTo() {
        return permission.roots();
    }

    /** The rate of all copies of the client's key; 0 for no limit. */
    public long keyRateBitsPerSecond() {
        return permission.limits().rateBitsPerSecond();
    }

    /** What the client's key may move in one transfer. */
    public long keyBytes() {
        return permission.limits().bytes();
    }

    /** The name of the client's key; empty on a client's own side. */
    public String keyName() {
        AccessKey key = client;
        return key == null ? "" : key.name();
    }

    /** The id of the client's key; empty on a client's own side. */
    public String keyId() {
        AccessKey key = client;
        return key == null ? "" : key.id();
    }

    public SessionCounters counters() {
        return counters;
    }

    /** What an observer sees of this session. */
    public SessionActivity activity() {
        return activity;
    }

    public String peer() {
        return channel.peer();
    }

    public Clock clock() {
        return clock;
    }

    public long elapsedNanos() {
        return clock.nanoTime() - startedNanos;
    }

    /** Any thread. */
    public void send(ControlMessage message) {
        channel.send(message);
    }

    /** Bytes of messages not handed to the network yet. */
    public long queuedBytes() {
        return channel.queuedBytes();
    }

    /** Runs the task on the session's thread. Any thread. */
    @Override
    public void execute(Runnable task) {
        mailbox.add(task);
    }

    /** Ends the session from outside, with this failure. Any thread. */
    public void interrupt(TransferException why) {
        interruption = why;
        execute(() -> {});
    }

    /** Whom lanes are given to; null before the session runs. */
    @Nullable SessionHandler handler() {
        return handler;
    }

    /** Must be called before a peer can know the session, so that no lane or message comes too early. */
    public void attach(SessionHandler newHandler) {
        handler = newHandler;
        channel.start(new ControlChannel.Handler() {
            @Override
            public void onMessage(ControlMessage message, int lengthBytes) {
                long waiting = waitingBytes.addAndGet(lengthBytes);
                if (mailbox.size() > MAX_WAITING_MESSAGES || waiting > MAX_WAITING_BYTES) {
                    channel.giveUp(FailureKind.CONNECTION_LOST.failure(
                            channel.peer() + " sent messages faster than permitted"));
                    return;
                }
                execute(() -> {
                    waitingBytes.addAndGet(-lengthBytes);
                    newHandler.onMessage(message);
                });
            }

            @Override
            public void onAside(ControlMessage message) {
                if (message instanceof SessionMessage.HostTold told) {
                    hosts.onTold(told.view());
                } else if (message instanceof SessionMessage.AskHost) {
                    hosts.onAsked();
                }
            }

            @Override
            public void onClosed(@Nullable TransferException cause) {
                hosts.close();
                linkClosed.countDown();
                execute(() -> newHandler.onLinkClosed(cause));
            }
        });
    }

    /** Tells the client that the session is open, so that its lanes may come. Server only, after {@link #attach}. */
    public void announce() {
        channel.sendOnLink(opened);
        known();
    }

    /** The other end knows that this session is open. */
    void known() {
        hosts.begin();
    }

    /** Throws what it was interrupted with; for whoever waits on the session's thread. */
    public void throwIfInterrupted() {
        TransferException why = interruption;
        if (why != null) {
            throw why;
        }
    }

    /** Whether the other session is of the same client as far as a server can tell: same key, same host. */
    public boolean isOfSameClientAs(Session other) {
        return client != null && client.equals(other.client) && hostOf(peer()).equals(hostOf(other.peer()));
    }

    /** The peer without its port. */
    static String hostOf(String peer) {
        return peer.substring(0, Math.max(0, peer.lastIndexOf(':')));
    }

    /** Whether there is no connection to the client, which may still come back, or it has said goodbye. */
    public boolean hasLostClient() {
        return channel.isLost() || channel.isOver();
    }

    /** Whether the client closed the channel and all lanes, as the end of its process does; silence is no sign. */
    boolean isDeserted() {
        return channel.isHungUp(OpenSessions.RECONNECT_NANOS)
                && activity.lanes().stream().noneMatch(LaneActivity::isOpen);
    }

    ControlChannel channel() {
        return channel;
    }

    /** Runs the session on the calling thread until its handler is done; throws whatever ended it early. */
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
                attached.onTick();
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
     * @param begin what the client is told first
     */
    public void serve(SessionHandler served, Runnable begin) throws InterruptedException {
        attach(served);
        announce();
        begin.run();
        runToGoodbye();
    }

    /**
     * The same of a session that is announced. The client closes first, when it has heard the last message: a lane that
     * ended before would look like a lost one to it.
     */
    public void runToGoodbye() throws InterruptedException {
        run();
        linkClosed.await(GOODBYE_MS, TimeUnit.MILLISECONDS);
    }

    /** Says goodbye, with the reason where there is one, and closes the control channel. Only the first call counts. */
    public void end(@Nullable TransferException cause) {
        if (!ended.compareAndSet(false, true)) {
            return;
        }
        activity.end();
        hosts.close();
        if (cause != null) {
            channel.send(new SessionMessage.Failed(cause.kind().exitCode(), String.valueOf(cause.getMessage())));
        }
        channel.close();
    }
}
