package io.fdt.core.control;

import io.fdt.core.basic.Pauses;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.run.Threads;
import io.fdt.core.security.SessionProof;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.Transport;
import io.fdt.core.wire.LaneHello;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Opens the lanes of a client's session, and reopens lost ones. Dialling blocks, so it runs on its own threads, which
 * end when there is nothing to dial. All events are reported on the session's thread.
 */
public final class ClientLanes implements SessionLanes {
    private static final Pauses PAUSE_MS = new Pauses(100, 5_000);

    /**
     * The loss of a lane that lived this long, or moved a chunk, does not increase the pause before the next attempt.
     */
    private static final long GOOD_LIFE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Session session;
    private final SessionHandler handler;
    private final Transport transport;
    private final InetSocketAddress server;
    private final List<InetAddress> localAddresses;
    private final long timeoutMs;
    private final @Nullable LeftLanes left;
    private final ExecutorService dialers;
    private final int[] attempts;

    /** The lanes that are open or being dialled. For the session's thread. */
    private final boolean[] inUse;

    /** Lanes with lower numbers are to be open. For the session's thread. */
    private int wanted;

    /** Consecutive failures, which determine the pause. */
    private final int[] failures;

    private final long[] chunksWhenLost;

    private final AtomicLongArray connectedNanos;
    private volatile boolean closed;
    private volatile @Nullable String description;

    /** @param left lanes of other sessions, which this one may use, and leaves its own to; null for none */
    public ClientLanes(
            Session session,
            SessionHandler handler,
            Transport transport,
            InetSocketAddress server,
            List<InetAddress> localAddresses,
            long timeoutMs,
            @Nullable LeftLanes left) {
        this.session = session;
        this.handler = handler;
        this.transport = transport;
        this.server = server;
        this.localAddresses = localAddresses;
        this.timeoutMs = timeoutMs;
        this.left = left;
        this.attempts = new int[session.lanes()];
        this.inUse = new boolean[session.lanes()];
        this.failures = new int[session.lanes()];
        this.chunksWhenLost = new long[session.lanes()];
        this.connectedNanos = new AtomicLongArray(session.lanes());
        this.dialers = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                1,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                task -> Threads.daemon("fdt-dial", task::run));
    }

    @Override
    public void request(int lanes) {
        wanted = Math.min(lanes, attempts.length);
        for (int lane = 0; lane < wanted; lane++) {
            if (!inUse[lane]) {
                inUse[lane] = true;
                dial(lane, 0);
            }
        }
    }

    @Override
    public void openAgain(int lane) {
        if (lane >= wanted) {
            inUse[lane] = false;
            attempts[lane]++;
            return;
        }
        long connected = connectedNanos.getAndSet(lane, 0);
        long chunks = session.counters().lane(lane).get(Counter.CHUNKS);
        boolean moved = chunks != chunksWhenLost[lane];
        chunksWhenLost[lane] = chunks;
        if (connected != 0 && (moved || session.clock().nanoTime() - connected > GOOD_LIFE_NANOS)) {
            failures[lane] = 0;
        }
        failures[lane]++;
        attempts[lane]++;
        dial(lane, PAUSE_MS.after(failures[lane]));
    }

    private void dial(int lane, long pauseMs) {
        int attempt = attempts[lane];
        if (closed) {
            return;
        }
        LeftLanes.Way way =
                new LeftLanes.Way(transport, server, localAddress(localAddresses, lane), session.clearLanes());
        // A lane that was left may be lost, and then another one is needed.
        GreetingLane known = left == null || attempt > 0 ? null : left.take(way, session);
        if (known != null) {
            // Nothing blocks, so it needs no thread.
            orReport(lane, () -> join(lane, attempt, way, known));
            return;
        }
        dialers.execute(() -> {
            try {
                Thread.sleep(pauseMs);
                if (!closed) {
                    orReport(lane, () -> join(lane, attempt, way, null));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private void orReport(int lane, Runnable joining) {
        try {
            joining.run();
        } catch (RuntimeException | Error e) {
            TransferException failure = TransferException.of(e);
            session.execute(() -> onDialFailed(lane, failure));
        }
    }

    /** @param known a lane that has left another session; null to connect one, which blocks */
    private void join(int index, int attempt, LeftLanes.Way way, @Nullable GreetingLane known) {
        Lane lane =
                known != null ? known.lane() : transport.connect(server, way.localAddress(), way.clear(), timeoutMs);
        description = lane.description();
        byte[] proof = SessionProof.ofLane(session.secret(), session.id(), index, attempt);
        LaneHello hello = new LaneHello(session.id(), index, attempt, proof);
        connectedNanos.set(index, session.clock().nanoTime());
        LaneHandler joining;
        try {
            joining = handler.onLane(index, attempt, lane);
        } catch (RuntimeException | Error e) {
            lane.abort(TransferException.of(e));
            throw e;
        }
        GreetingLane.Greeting first = new GreetingLane.Greeting(hello, joining);
        GreetingLane greeting = known != null ? known : new GreetingLane(lane, first, left);
        if (known != null) {
            known.join(first);
        } else {
            start(greeting, way);
        }
        if (closed) {
            greeting.leave(first);
        }
    }

    private void start(GreetingLane greeting, LeftLanes.Way way) {
        if (left != null) {
            left.add(greeting, way, session);
        }
        try {
            greeting.lane().start(greeting);
        } catch (RuntimeException | Error e) {
            TransferException failure = TransferException.of(e);
            greeting.lane().abort(failure);
            greeting.onClosed(failure);
        }
    }

    /**
     * The local address of a lane: the addresses are used in turn. Null for any address. The control channel uses the
     * first.
     */
    public static @Nullable InetSocketAddress localAddress(List<InetAddress> addresses, int lane) {
        return addresses.isEmpty() ? null : new InetSocketAddress(addresses.get(lane % addresses.size()), 0);
    }

    private void onDialFailed(int lane, TransferException failure) {
        if (closed) {
            return;
        }
        boolean hopeless = switch (failure.kind()) {
            case INTERNAL -> true;
            case REFUSED, USAGE -> attempts[lane] == 0;
            default -> failure.is(Cause.HOST_LIMIT) && attempts[lane] == 0;
        };
        if (hopeless) {
            throw failure;
        }
        openAgain(lane);
    }

    @Override
    public @Nullable String description() {
        return description;
    }

    @Override
    public void close() {
        closed = true;
        dialers.shutdownNow();
    }
}
