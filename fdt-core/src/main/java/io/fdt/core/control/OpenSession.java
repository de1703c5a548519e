package io.fdt.core.control;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.LaneAdmission;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.wire.LaneHello;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A session at its server, which owns its lanes. A lane number has one lane at a time: a newer attempt ends the older
 * lane and replaces it once that has ended. {@link #close} ends all lanes. The session holds its memory until the last
 * of them has ended. Thread-safe.
 */
final class OpenSession {
    /** A lane ends at once when requested, unless its thread waits for a disk. */
    private static final long LANE_END_MS = 2_000;

    private final Session session;
    private final Thread thread;
    private final LaneAdmission admission;
    private final Supplier<AccessKey> key;
    private final Runnable onGone;
    private final Map<Integer, Lane> lanes = new HashMap<>();
    private boolean closed;
    private boolean gone;
    /** For the timer. */
    private long progress;

    private long progressNanos;
    private volatile boolean makesRoom;
    private volatile boolean forOthers;

    /**
     * @param key that admits the client now
     * @param onGone called once, when the session is closed and its last lane has ended
     */
    OpenSession(
            ThreadFactory threads,
            Session session,
            LaneAdmission admission,
            Supplier<AccessKey> key,
            Consumer<OpenSession> serving,
            Runnable onGone) {
        this.session = session;
        this.progressNanos = session.clock().nanoTime();
        this.thread = threads.newThread(() -> serving.accept(this));
        thread.setName("fdt-session-" + session.name());
        this.admission = admission;
        this.key = key;
        this.onGone = onGone;
    }

    Session session() {
        return session;
    }

    Thread thread() {
        return thread;
    }

    AccessKey key() {
        return key.get();
    }

    void end(TransferException why) {
        session.interrupt(why);
        session.budget().end(why);
    }

    /** How long the session has achieved nothing, whatever its client sent. For the server's timer. */
    long idleNanos() {
        long now = session.clock().nanoTime();
        long reached = session.progress();
        if (reached != progress) {
            progress = reached;
            progressNanos = now;
        }
        return now - progressNanos;
    }

    /** How long its client has had no connection; 0 while it has one, or needs none. */
    long disconnectedNanos() {
        return outlivesClient() ? 0 : session.channel().lostNanos();
    }

    /** Ends it so that another session may take its place, which must call {@link #awaitRoom}. */
    void makeRoom() {
        makesRoom = true;
        end(Cause.CONNECTION_LOST.failure(
                "its client was disconnected, and the server needed its place for another session"));
    }

    boolean makesRoom() {
        return makesRoom;
    }

    /** It only lists or ends what other sessions of its key do. */
    void beForOthers() {
        forOthers = true;
    }

    boolean isForOthers() {
        return forOthers;
    }

    boolean outlivesClient() {
        return session.outlivesClient();
    }

    /** Waits until it has ended; throws UNAVAILABLE after the timeout. */
    void awaitRoom(long timeoutMs) throws InterruptedException {
        thread.join(timeoutMs);
        if (thread.isAlive()) {
            makesRoom = false;
            throw Cause.UNAVAILABLE.failure("the server is full, and no session ended to make room");
        }
    }

    /**
     * Lets a lane with this hello join; throws the reason to refuse it. On the lane's thread, which waits for the end
     * of an older lane with the same number.
     */
    LaneHandler admit(LaneHello hello, Lane lane) {
        SessionHandler handler = session.handler();
        if (handler == null || !admission.admit(hello.lane(), hello.attempt(), hello.proof())) {
            throw Cause.NO_SESSION.failure("the lane does not belong to its session");
        }
        if (lane.isClear() && !session.clearLanes()) {
            throw Cause.MALFORMED.failure("the lane is without TLS, which its session does not permit");
        }
        lane.admitted();
        take(hello, lane);
        return handler.onLane(hello.lane(), hello.attempt(), lane);
    }

    private synchronized void take(LaneHello hello, Lane lane) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LANE_END_MS);
        for (Lane older = lanes.get(hello.lane()); older != null; older = lanes.get(hello.lane())) {
            older.abort(Cause.CONNECTION_LOST.failure("a newer lane replaced it"));
            long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (leftMs <= 0) {
                throw tooLate("the lane before it did not end");
            }
            try {
                wait(leftMs);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw tooLate("the server is stopping");
            }
        }
        if (closed || !admission.isNewest(hello.lane(), hello.attempt())) {
            throw tooLate(closed ? "its session has ended" : "a newer lane replaced it");
        }
        lanes.put(hello.lane(), lane);
    }

    /** A refusal that also happens to correct clients. */
    private static TransferException tooLate(String why) {
        return Cause.CONNECTION_LOST.failure(why);
    }

    /** Called when the lane has ended or left, whether or not it joined. */
    void onLaneClosed(int number, Lane lane) {
        synchronized (this) {
            if (!lanes.remove(number, lane)) {
                return;
            }
            notifyAll();
        }
        reportGone();
    }

    /** Admits no more lanes and ends the existing ones. */
    void close() {
        session.budget().end(Cause.CONNECTION_LOST.failure("its session has ended"));
        synchronized (this) {
            closed = true;
            TransferException ended = Cause.CONNECTION_LOST.failure("its session has ended");
            lanes.values().forEach(lane -> lane.abortUnlessLeaving(ended));
        }
        reportGone();
    }

    private void reportGone() {
        synchronized (this) {
            if (!closed || gone || !lanes.isEmpty()) {
                return;
            }
            gone = true;
        }
        onGone.run();
    }
}
