package io.fdt.core.stats;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.HostView;
import io.fdt.core.stats.LaneObserver.LaneChange;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A live session as observers see it: its purpose, its counters and its lanes. The threads that move data update
 * counters that exist anyway, and observers read these at any time, so observation costs nothing. Thread-safe.
 */
public final class SessionActivity {
    private final String name;
    private final String peer;
    private final SessionCounters counters;
    private final ConcurrentMap<Integer, LaneActivity> lanes = new ConcurrentHashMap<>();
    private final ConcurrentMap<Direction, Long> earlierRetransmits = new ConcurrentHashMap<>();
    private final long startNanos = Clock.SYSTEM.nanoTime();
    private volatile SessionState state = SessionState.NEW;
    private volatile boolean allMoved;
    private volatile PeerHost peerHost = PeerHost.SILENT;
    private volatile Supplier<@Nullable HostView> host = () -> null;
    private final List<LaneObserver> laneObservers = new CopyOnWriteArrayList<>();
    private volatile @Nullable String trace;

    public enum Service {
        COPY,
        NETTEST,
        VERIFY
    }

    /** The direction of the data, seen from this side. */
    public enum Direction {
        OUT,
        IN
    }

    /**
     * The work of a session.
     *
     * @param digest the label of the hash; empty for none
     * @param figures null if the session copies nothing
     * @param queued files that wait for a lane or are being sent by one
     */
    public record Work(
            Service service,
            Direction direction,
            String digest,
            @Nullable TransferFigures figures,
            IntSupplier queued) {}

    /** What a session is counted as. */
    public record Kind(Service service, Direction direction) {}

    /**
     * Who opened a session, and for what.
     *
     * @param key the name of the key that admitted the client; empty at the client
     * @param purpose the request, for display, such as {@code push to /incoming}; empty at the client
     * @param kind of the request; null if it neither copies, verifies nor tests, or if another session is counted for
     *     it
     */
    public record Admission(
            String key, String purpose, @Nullable Kind kind) {}

    /** Why a session continues with another number of lanes. */
    public enum LaneReason {
        /** There is work for more lanes than those that a copy opens first. */
        WORK,
        /** The present lanes are limited by the network. */
        NETWORK,
        /** Fewer lanes may be enough. */
        FEWER,
        /** More lanes may be faster, although the network does not limit them. */
        MORE,
        /** Packets are lost without queueing: the same number is tried with BBR. */
        LOSS,
        /** The previous change had too little effect. */
        UNDONE
    }

    /**
     * The number of lanes with which a session continues.
     *
     * @param changes how often the number has changed, by the reason
     */
    public record LaneCount(int lanes, String why, Map<LaneReason, Long> changes) {
        public LaneCount {
            changes = Map.copyOf(changes);
        }
    }

    public SessionActivity(String name, String peer, SessionCounters counters) {
        this.name = name;
        this.peer = peer;
        this.counters = counters;
    }

    /** The session's name in logs and receipts. */
    public String name() {
        return name;
    }

    public String peer() {
        return peer;
    }

    public SessionCounters counters() {
        return counters;
    }

    /** What is known now. */
    public SessionState state() {
        return state;
    }

    /** Shows the session of another process: takes what is known there, except who opened it and how it ended. */
    public void show(SessionState there) {
        LaneCount before = change(now -> now.like(there)).laneCount();
        LaneCount count = there.laneCount();
        if (count != null && !count.equals(before)) {
            laneObservers.forEach(observer -> observer.onCount(count.lanes(), count.why()));
        }
    }

    public void movesShard(String named) {
        change(now -> now.movesShard(named));
    }

    public String key() {
        return state.admission().key();
    }

    /** Called by the server before the session is observed. */
    public void admit(Admission as) {
        change(now -> now.admit(as));
    }

    /** Another session does what was requested, and is counted for it. */
    public void passOn() {
        change(SessionState::passOn);
    }

    /** Returns what was known before. */
    private synchronized SessionState change(UnaryOperator<SessionState> next) {
        SessionState before = state;
        state = next.apply(before);
        return before;
    }

    public PeerHost peerHost() {
        return peerHost;
    }

    /** Sets the means to query the other end. */
    public void meet(PeerHost other) {
        peerHost = other;
    }

    /** Whether the session goes on without its other end, which may return. */
    public boolean isPeerGone() {
        return !state.isEnded() && peerHost.isGone();
    }

    /** This host's figures for the other end; null if there are none. */
    public @Nullable HostView host() {
        return host.get();
    }

    /**
     * Sets the source of this host's figures for the other end. It is called about once a second, on a thread that must
     * not be blocked.
     */
    public void setHostSource(Supplier<@Nullable HostView> supplier) {
        host = supplier;
    }

    public void watchLanes(LaneObserver observer) {
        laneObservers.add(observer);
    }

    /**
     * All data is moved, so from now on no lane is lost when it ends. Call it before the other end is told: it may then
     * end the lanes at once.
     */
    public void onAllMoved() {
        allMoved = true;
    }

    /** Reports a lost lane, unless the session needs none any more. */
    private void onLost(int index, String why) {
        if (!allMoved && !state.isEnded()) {
            laneObservers.forEach(observer -> observer.onLane(LaneChange.LOST, index, why));
        }
    }

    /** The lanes by number, including ended ones. */
    public List<LaneActivity> lanes() {
        return List.copyOf(lanes.values());
    }

    public void begin(Work begun) {
        change(now -> now.begin(begun));
    }

    /**
     * Adds a lane, in place of an earlier one with the same number, with a description of its transport and the bytes
     * that it has moved.
     */
    public LaneActivity join(int index, Direction direction, String description, LongSupplier bytes) {
        LaneActivity lane = new LaneActivity(index, direction, bytes, why -> onLost(index, why));
        change(now -> now.over(description));
        LaneActivity before = lanes.put(index, lane);
        if (before != null) {
            earlierRetransmits.merge(before.direction(), before.retransmits(), Long::sum);
        }
        LaneChange change =
                before == null ? LaneChange.JOINED : before.wasLost() ? LaneChange.REOPENED : LaneChange.REPLACED;
        laneObservers.forEach(observer -> observer.onLane(change, index, description));
        return lane;
    }

    /** Records that the session continues with another number of lanes. */
    public void wantLanes(int count, LaneReason reason, String why) {
        change(now -> now.wantLanes(count, reason, why));
        laneObservers.forEach(observer -> observer.onCount(count, why));
    }

    /** Reports a flush that made chunks durable. */
    public void onFlush(long nanos, int chunks) {
        laneObservers.forEach(observer -> observer.onFlush(nanos, chunks));
    }

    /** The span of the other end below which this session is traced, see {@code CopyValue.TRACE}; null for none. */
    public @Nullable String trace() {
        return trace;
    }

    /** Called by the server before the session is observed. */
    public void traceBelow(@Nullable String span) {
        trace = span;
    }

    /** The newest lane of this number; null if there has been none. */
    public @Nullable LaneActivity lane(int index) {
        return lanes.get(index);
    }

    /** The payload that the lanes of this direction have moved so far, acknowledged or not. */
    public long moved(Direction direction) {
        long moved = 0;
        for (LaneActivity lane : lanes.values()) {
            moved += lane.direction() == direction ? lane.bytes() : 0;
        }
        return moved;
    }

    /** Whether it has or had a lane of this direction. */
    public boolean hasLanes(Direction direction) {
        return lanes.values().stream().anyMatch(lane -> lane.direction() == direction);
    }

    /** The segments that TCP has sent again on the lanes of this direction, including lanes that were replaced. */
    public long retransmits(Direction direction) {
        long retransmits = earlierRetransmits.getOrDefault(direction, 0L);
        for (LaneActivity lane : lanes.values()) {
            retransmits += lane.direction() == direction ? lane.retransmits() : 0;
        }
        return retransmits;
    }

    /** The time of {@link Clock#SYSTEM} at which the session began. */
    public long startNanos() {
        return startNanos;
    }

    /** Called when the session is over; its counters remain readable. */
    public void end() {
        if (!change(now -> now.end(Clock.SYSTEM.nanoTime())).isEnded()) {
            lanes.values().forEach(LaneActivity::close);
        }
    }

    public void conclude(Summary result) {
        change(now -> now.conclude(result));
    }
}
