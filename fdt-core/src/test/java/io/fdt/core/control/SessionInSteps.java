package io.fdt.core.control;

import io.fdt.core.basic.Clock;
import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.digest.Checksums;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.Permission;
import io.fdt.core.security.Secret;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.LaneHello;
import io.fdt.core.wire.SessionMessage;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A session without a peer and without threads. It keeps the messages that it sends, and runs posted tasks on the
 * test's thread when the test calls {@link #runPosted}. Its timers never come.
 */
public final class SessionInSteps implements AutoCloseable {
    private static final long TIMEOUT_MS = TimeUnit.DAYS.toMillis(1);

    private static final ScheduledExecutorService TIMER = NeverDue.timer();
    private static final byte[] SECRET = Secret.random().bytes();
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final List<ControlMessage> sent = new ArrayList<>();
    private final Session session;
    private final Recording link = new Recording();
    private final List<ControlMessage> heard = new ArrayList<>();
    /** Types that the session's role takes; empty for all. */
    private Set<Class<? extends ControlMessage>> taken = Set.of();

    private boolean drained;

    public SessionInSteps(Clock clock, int lanes) {
        this(clock, lanes, Permission.ALL);
    }

    /** @param permission of the key by which the client came */
    public SessionInSteps(Clock clock, int lanes, Permission permission) {
        this(clock, lanes, permission, Budgets.ofProcess());
    }

    public SessionInSteps(Clock clock, int lanes, Permission permission, Budget budget) {
        this(clock, lanes, permission, budget, NUMBERS.incrementAndGet());
    }

    private SessionInSteps(Clock clock, int lanes, Permission permission, Budget budget, int number) {
        ControlLink control = ControlLink.toClient(link);
        control.open(new Unexpected());
        ControlChannel channel = new ControlChannel(control, clock, TIMER, TIMEOUT_MS, lost -> {});
        byte[] id =
                ByteBuffer.allocate(LaneHello.SESSION_ID_BYTES).putInt(number).array();
        SessionMessage.Opened opened = new SessionMessage.Opened(id, SECRET, lanes, true, 0, Checksums.NONE);
        session = new Session(opened, channel, permission, budget, clock);
        session.attach(new Draining());
    }

    /** The other end of the session. The test passes the messages on. */
    public SessionInSteps otherEnd() {
        int number = ByteBuffer.wrap(session.id()).getInt();
        return new SessionInSteps(session.clock(), session.lanes(), Permission.ALL, Budgets.ofProcess(), number);
    }

    public Session session() {
        return session;
    }

    /**
     * Runs posted tasks, and the tasks that they post in turn. Throws the exception with which the session was
     * interrupted.
     */
    public void runPosted() {
        drained = false;
        try {
            session.run();
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts the test's thread", e);
        }
    }

    /** Delivers an encoded message from the peer, as a link does, on the test's thread. */
    void deliver(byte[] encoded) {
        link.handler.onMessage(encoded);
    }

    /** The connection to the peer ends without a message, as if the peer was killed. */
    void breakOff() {
        link.handler.onClosed(null);
    }

    /** Whether the session's link is not read from. */
    boolean isHeld() {
        return link.paused;
    }

    boolean isEnded() {
        return link.ended;
    }

    /** The messages that the session has decoded and passed on. */
    List<ControlMessage> heard() {
        return heard;
    }

    void takeOnly(Class<? extends ControlMessage> type) {
        taken = Set.of(type);
    }

    /** Returns the messages of this kind that were sent since the last such call, in order. */
    public synchronized <M extends ControlMessage> List<M> takeSent(Class<M> kind) {
        List<M> found = sent.stream().filter(kind::isInstance).map(kind::cast).toList();
        sent.removeIf(kind::isInstance);
        return found;
    }

    private synchronized void keep(ControlMessage message) {
        if (!(message instanceof SessionMessage.Heartbeat)) {
            sent.add(message);
        }
    }

    @Override
    public void close() {
        session.end(null);
    }

    /** A handler that ends the run when no posted task is left. */
    private final class Draining implements SessionHandler {
        @Override
        public boolean work() {
            drained = true;
            return true;
        }

        @Override
        public boolean isDone() {
            return drained;
        }

        @Override
        public void onTick() {
            // The test calls the ticks.
        }

        @Override
        public boolean takes(Class<? extends ControlMessage> type) {
            return taken.isEmpty() || taken.contains(type);
        }

        @Override
        public void onMessage(ControlMessage message) {
            heard.add(message);
        }

        @Override
        public void onLinkClosed(@Nullable TransferException cause) {
            throw new AssertionError("there is no link to lose");
        }

        @Override
        public LaneHandler onLane(int index, int attempt, Lane lane) {
            throw new AssertionError("there is no gate for lanes");
        }
    }

    /** Before the channel has started. */
    private static final class Unexpected implements MessageLink.Handler {
        @Override
        public void onMessage(byte[] encoded) {
            throw new AssertionError("nothing arrives before the channel has started");
        }

        @Override
        public void onClosed(@Nullable TransferException cause) {}
    }

    private final class Recording implements MessageLink {
        private Handler handler = new Handler() {
            @Override
            public void onMessage(byte[] message) {
                throw new AssertionError("nothing arrives before the link has started");
            }

            @Override
            public void onClosed(@Nullable TransferException cause) {}
        };
        private boolean paused;
        private boolean ended;

        @Override
        public void pause() {
            paused = true;
        }

        @Override
        public void resume() {
            paused = false;
        }

        @Override
        public void start(Handler started) {
            handler = started;
        }

        @Override
        public void send(byte[] message) {
            keep(ControlCodec.decode(message, peer()));
        }

        @Override
        public long queuedBytes() {
            return 0;
        }

        @Override
        public void close() {
            ended = true;
        }

        @Override
        public void abort(TransferException cause) {
            ended = true;
        }

        @Override
        public String peer() {
            return "nobody:0";
        }

        @Override
        public String description() {
            return "none";
        }
    }
}
