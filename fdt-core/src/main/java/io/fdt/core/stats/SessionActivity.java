package io.fdt.core.stats;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.HostView;
import io.fdt.core.stats.LaneObserver.LaneChange;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
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
    private volatile @Nullable Work work;
    private volatile String transport = "";
    private volatile String shard = "";
    private volatile PeerHost peerHost = PeerHost.SILENT;
    private volatile BooleanSupplier peerGone = () -> false;
    private volatile Supplier<@Nullable HostView> host = () -> null;
    private volatile LaneObserver laneObserver = LaneObserver.NONE;
    private final ConcurrentMap<LaneReason, Long> laneChanges = new ConcurrentHashMap<>();
    private final ConcurrentMap<Direction, Long> earlierRetransmits = new ConcurrentHashMap<>();
    private final long startNanos = Clock.SYSTEM.nanoTime();
    private volatile @Nullable LaneCount laneCount;
    private volatile String key = "";
    private volatile String purpose = "";
    private volatile @Nullable Kind requested;
    private volatile @Nullable Summary summary;
    private volatile long endNanos;
    private volatile boolean allMoved;
    private volatile boolean ended;

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

    public record LaneCount(int lanes, String why) {}

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

    /** Null until the session's service has begun. */
    public @Nullable Work work() {
        return work;
    }

    /** A description of the transport of the lanes; empty before the first lane has joined. */
    public String transport() {
        return transport;
    }

    /** The shard that the session copies, as {@code JOB/NUMBER}; empty if it copies none. */
    public String shard() {
        return shard;
    }

    public void movesShard(String named) {
        shard = named;
    }

    /** The name of the key that admitted the client; empty at the client. */
    public String key() {
        return key;
    }

    /** The request, for display, such as {@code push to /incoming}; empty at the client. */
    public String purpose() {
        return purpose;
    }

    /**
     * Sets the client's key and its request. Called by the server before the session is observed.
     *
     * @param kind of the request; null if it neither copies, verifies nor tests
     */
    public void admit(String keyName, String request, @Nullable Kind kind) {
        key = keyName;
        purpose = request;
        requested = kind;
    }

    /** Another session does what was requested, and is counted for it. */
    public void passOn() {
        requested = null;
    }

    /** What it does or, before that has begun, what the client requested; null if it does neither. */
    public @Nullable Kind kind() {
        Work begun = work;
        return begun == null ? requested : new Kind(begun.service, begun.direction);
    }

    /** The direction of the session's data; outgoing if it has none. */
    public Direction direction() {
        Kind known = kind();
        return known == null ? Direction.OUT : known.direction();
    }

    public PeerHost peerHost() {
        return peerHost;
    }

    /** Sets the means to query the other end. */
    public void meet(PeerHost other) {
        peerHost = other;
    }

    /** Sets the source of {@link #isPeerGone}, which must not block. */
    public void watchPeer(BooleanSupplier gone) {
        peerGone = gone;
    }

    /** Whether the session goes on without its other end, which may return. */
    public boolean isPeerGone() {
        return !ended && peerGone.getAsBoolean();
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
        laneObserver = observer;
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
        if (!allMoved && !ended) {
            laneObserver.onLane(LaneChange.LOST, index, why);
        }
    }

    /** The lanes by number, including ended ones. */
    public List<LaneActivity> lanes() {
        return List.copyOf(lanes.values());
    }

    public boolean isEnded() {
        return ended;
    }

    public void begin(Work begun) {
        work = begun;
    }

    /**
     * Adds a lane, in place of an earlier one with the same number, with a description of its transport and the bytes
     * that it has moved.
     */
    public LaneActivity join(int index, Direction direction, String description, LongSupplier bytes) {
        LaneActivity lane = new LaneActivity(index, direction, bytes, why -> onLost(index, why));
        transport = description;
        LaneActivity before = lanes.put(index, lane);
        if (before != null) {
            earlierRetransmits.merge(before.direction(), before.retransmits(), Long::sum);
        }
        LaneChange change =
                before == null ? LaneChange.JOINED : before.wasLost() ? LaneChange.REOPENED : LaneChange.REPLACED;
        laneObserver.onLane(change, index, description);
        return lane;
    }

    /** The last change of the number of lanes; null before the first change. */
    public @Nullable LaneCount laneCount() {
        return laneCount;
    }

    public long laneChanges(LaneReason reason) {
        return laneChanges.getOrDefault(reason, 0L);
    }

    /** Records that the session continues with another number of lanes. */
    public void wantLanes(int count, LaneReason reason, String why) {
        laneChanges.merge(reason, 1L, Long::sum);
        laneCount = new LaneCount(count, why);
        laneObserver.onCount(count, why);
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

    /** The time of {@link Clock#SYSTEM} at which the session ended; valid if it has. */
    public long endNanos() {
        return endNanos;
    }

    /** Called when the session is over; its counters remain readable. */
    public void end() {
        if (ended) {
            return;
        }
        endNanos = Clock.SYSTEM.nanoTime();
        ended = true;
        lanes.values().forEach(LaneActivity::close);
    }

    /** The result of the session; null before it is known, which may be after the end. */
    public @Nullable Summary summary() {
        return summary;
    }

    public void conclude(Summary result) {
        summary = result;
    }
}
