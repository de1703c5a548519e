package io.fdt.core.stats;

import io.fdt.core.HostView;
import io.fdt.core.stats.LaneObserver.LaneChange;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A live session as an observer sees it from outside: what it is for, its counters and its lanes. Whoever moves data
 * writes counters that it has anyway; an observer reads them when it likes, so that being observed costs nothing.
 * Thread-safe.
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
    private volatile Supplier<@Nullable HostView> host = () -> null;
    private volatile LaneObserver laneObserver = LaneObserver.NONE;
    private final ConcurrentMap<LaneReason, Long> laneChanges = new ConcurrentHashMap<>();
    private volatile @Nullable LaneCount laneCount;
    private volatile boolean ended;

    public enum Service {
        COPY,
        NETTEST,
        VERIFY
    }

    /** Which way data goes, seen from this side. */
    public enum Direction {
        OUT,
        IN
    }

    /**
     * What a session is busy with.
     *
     * @param digest the label of the hash; empty for none
     * @param figures null where nothing is copied
     * @param queued files that wait for a lane or are on one
     */
    public record Work(
            Service service,
            Direction direction,
            String digest,
            @Nullable TransferFigures figures,
            IntSupplier queued) {}

    /** Why a session continues with another number of lanes. */
    public enum LaneReason {
        /** The network limits those that there are. */
        NETWORK,
        /** Fewer may be enough. */
        FEWER,
        /** Packets are lost and do not queue: the same number is tried with BBR. */
        LOSS,
        /** What was tried brought too little. */
        UNDONE,
        /** The other end decides, and is of a release that does not give a reason of this kind. */
        UNKNOWN
    }

    /** How many lanes a session came to use, and the reason. */
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

    /** Null before the session's service has begun. */
    public @Nullable Work work() {
        return work;
    }

    /** What carries the lanes, in words; empty before the first has joined. */
    public String transport() {
        return transport;
    }

    /** Which shard of a job of many nodes it moves, as {@code JOB/NUMBER}; empty for none. */
    public String shard() {
        return shard;
    }

    public void movesShard(String named) {
        shard = named;
    }

    /** The host at the other end. */
    public PeerHost peerHost() {
        return peerHost;
    }

    /** The session knows a way to ask the other end. */
    public void meet(PeerHost other) {
        peerHost = other;
    }

    /** This host's figures, for the other end if it requests them; null when there is nothing to tell. */
    public @Nullable HostView host() {
        return host.get();
    }

    /** The other end gets this host's figures if it asks, about once a second on a thread that must not be held up. */
    public void tellOf(Supplier<@Nullable HostView> teller) {
        host = teller;
    }

    /** From now on this observer is notified of the lanes. */
    public void watchLanes(LaneObserver observer) {
        laneObserver = observer;
    }

    /** The end of a session ends its lanes in whatever way; that is no news. */
    private void onLost(int index, String why) {
        if (!ended) {
            laneObserver.onLane(LaneChange.LOST, index, why);
        }
    }

    /** The lanes by their numbers, also those that have ended. */
    public List<LaneActivity> lanes() {
        return List.copyOf(lanes.values());
    }

    public boolean isEnded() {
        return ended;
    }

    /** The session's service begins. */
    public void begin(Work begun) {
        work = begun;
    }

    /** A lane joins in the place of one with its number, with words for what carries it and its bytes up to now. */
    public LaneActivity join(int index, Direction direction, String description, LongSupplier bytes) {
        LaneActivity lane = new LaneActivity(index, direction, bytes, why -> onLost(index, why));
        transport = description;
        LaneActivity before = lanes.put(index, lane);
        LaneChange change =
                before == null ? LaneChange.JOINED : before.wasLost() ? LaneChange.REOPENED : LaneChange.REPLACED;
        laneObserver.onLane(change, index, description);
        return lane;
    }

    /** The last change of the number of lanes; null before the first. */
    public @Nullable LaneCount laneCount() {
        return laneCount;
    }

    /** How often the number of lanes was changed for this reason. */
    public long laneChanges(LaneReason reason) {
        return laneChanges.getOrDefault(reason, 0L);
    }

    /** The session continues with another number of lanes. */
    public void wantLanes(int count, LaneReason reason, String why) {
        laneChanges.merge(reason, 1L, Long::sum);
        laneCount = new LaneCount(count, why);
        laneObserver.onCount(count, why);
    }

    /** The session is over; its counters stay as they are. */
    public void end() {
        ended = true;
        lanes.values().forEach(LaneActivity::close);
    }
}
