package io.fdt.core.nettest.service;

import io.fdt.core.basic.Version;
import io.fdt.core.control.Session;
import io.fdt.core.control.SessionHandler;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.host.Caption;
import io.fdt.core.host.CpuUse;
import io.fdt.core.nettest.MeasuredLane;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.SuiteSide;
import io.fdt.core.stats.CoreTimes;
import io.fdt.core.stats.HostFacts;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.LaneProbe;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.NettestMessage;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.SideState;
import io.fdt.core.wire.SessionMessage;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One side of a network test: its lanes from joining to their end, and the messages between both sides. A lost lane
 * ends the test, because later figures could not be compared. For the session's thread unless stated otherwise.
 */
abstract class Side implements SessionHandler {
    /** From the moment when nothing more is sent until everything that was sent has arrived. */
    private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Session session;
    private final SuiteSide suite;
    private final int lanesOut;
    private final Direction ofFirstLanes;
    private final HostFacts host;
    private final CpuUse cpu;
    private final long timeoutNanos;
    private final AtomicReferenceArray<@Nullable MeasuredLane> lanes;
    private int joined;
    private int ended;
    private boolean begun;
    private boolean stopped;
    private long openedNanos;
    private long begunNanos;
    private long stoppedNanos;
    private long cpuAtStart;
    private List<CoreTimes> coresAtStart = List.of();
    private @Nullable SideState last;
    private @Nullable SideState peersLast;

    /** By lane: whether it has joined. */
    private final AtomicIntegerArray taken;

    private final IntConsumer pace;

    /**
     * @param ofFirstLanes the direction of data on the lanes below {@code lanesOut}, seen from this side
     * @param root the directory of {@code proc} and {@code sys}
     * @param pace limits the bytes of all lanes
     */
    Side(Session session, SuiteSide suite, NettestPlan plan, Direction ofFirstLanes, Path root, IntConsumer pace) {
        this.session = session;
        this.suite = suite;
        this.host = Caption.of(root, addressOf(session.peer()), Version.software());
        this.cpu = new CpuUse(root);
        this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(plan.path().timeoutMs());
        this.lanesOut = plan.lanesOut();
        this.ofFirstLanes = ofFirstLanes;
        this.lanes = new AtomicReferenceArray<>(plan.lanesOut() + plan.lanesIn());
        this.taken = new AtomicIntegerArray(lanes.length());
        this.pace = pace;
        this.openedNanos = session.clock().nanoTime();
        session.activity()
                .begin(new SessionActivity.Work(SessionActivity.Service.NETTEST, directionOf(0), "", null, () -> 0));
    }

    static void requireLanes(int granted, NettestPlan plan) {
        int needed = plan.lanesOut() + plan.lanesIn();
        if (granted < needed) {
            throw Cause.LIMIT
                    .advise("use fewer lanes, or raise --max-lanes on the server")
                    .failure("the server grants " + granted + " lanes per session, but the test needs " + needed);
        }
    }

    /** The direction of a lane's payload, seen from this side. */
    private Direction directionOf(int index) {
        return index < lanesOut ? ofFirstLanes : ofFirstLanes == Direction.OUT ? Direction.IN : Direction.OUT;
    }

    /** The address without its port. If it cannot be resolved, only this host's interface is unknown. */
    private static InetAddress addressOf(String peer) {
        try {
            return InetAddress.getByName(peer.substring(0, Math.max(0, peer.lastIndexOf(':'))));
        } catch (UnknownHostException e) {
            return InetAddress.getLoopbackAddress();
        }
    }

    final HostFacts host() {
        return host;
    }

    final Session session() {
        return session;
    }

    // ---- Lanes.

    /** Thread-safe. */
    @Override
    public final LaneHandler onLane(int index, int attempt, Lane lane) {
        if (taken.getAndSet(index, 1) != 0) {
            // First, because a lane may have much memory.
            throw Cause.MALFORMED.failure("lane " + index + " of this network test is already open");
        }
        MeasuredLane made = suite.join(index, lane);
        made.keepTo(pace);
        lanes.set(index, made);
        made.attach(
                new LaneProbe(
                        lane, session.activity().join(index, directionOf(index), lane.description(), made::bytes)),
                cause -> session.execute(() -> onLaneEnd(index, cause)));
        session.execute(this::onJoined);
        return made;
    }

    private void onJoined() {
        joined++;
        if (joined == lanes.length()) {
            onAllJoined();
        }
    }

    void onAllJoined() {}

    private void onLaneEnd(int index, @Nullable TransferException cause) {
        if (isDone()) {
            return;
        }
        if (cause != null) {
            throw cause.within("lane " + index);
        }
        ended++;
        if (ended == lanes.length()) {
            SideState state = state();
            last = state;
            session.send(new NettestMessage.NettestDone(state));
            compare();
        }
    }

    final void begin() {
        if (begun || joined < lanes.length()) {
            throw Cause.MALFORMED.failure(session.peer() + " started the test at the wrong time");
        }
        begun = true;
        cpuAtStart = cpu.processNanos();
        coresAtStart = cpu.cores();
        begunNanos = session.clock().nanoTime();
        forEachLane(MeasuredLane::begin);
    }

    /** Nothing more is sent; called once. */
    final void stop() {
        if (begun && !stopped) {
            stopped = true;
            stoppedNanos = session.clock().nanoTime();
            forEachLane(MeasuredLane::stop);
        }
    }

    private void forEachLane(Consumer<MeasuredLane> action) {
        for (int index = 0; index < lanes.length(); index++) {
            MeasuredLane lane = lanes.get(index);
            if (lane != null) {
                action.accept(lane);
            }
        }
    }

    /** The session is over; remaining lanes end with it. Thread-safe. */
    final void close(@Nullable TransferException cause) {
        forEachLane(lane -> {
            if (cause == null) {
                lane.lane().close();
            } else {
                lane.lane().abort(cause);
            }
        });
    }

    // ---- Figures.

    /** What was counted so far. */
    final SideState state() {
        List<LaneState> laneStates = new ArrayList<>();
        forEachLane(lane -> laneStates.add(lane.state()));
        List<CoreTimes> cores = begun ? CpuUse.between(coresAtStart, cpu.cores()) : List.of();
        return new SideState(
                elapsedNanos(), begun ? Math.max(0, cpu.processNanos() - cpuAtStart) : 0, laneStates, cores);
    }

    /** Since the start; 0 before. */
    final long elapsedNanos() {
        return begun ? session.clock().nanoTime() - begunNanos : 0;
    }

    final boolean isBegun() {
        return begun;
    }

    final boolean isStopped() {
        return stopped;
    }

    /** The last figures of this side, when all of its lanes have ended; otherwise null. */
    final @Nullable SideState last() {
        return last;
    }

    /** The last figures of the peer, as it sent them. */
    final @Nullable SideState peersLast() {
        return peersLast;
    }

    // ---- The session.

    @Override
    public final boolean takes(Class<? extends ControlMessage> type) {
        return type == NettestMessage.NettestDone.class || type == SessionMessage.Warning.class || takesPart(type);
    }

    @Override
    public final void onMessage(ControlMessage message) {
        if (message instanceof SessionMessage.Failed failed) {
            throw failed.why().exception();
        } else if (message instanceof SessionMessage.Warning warning) {
            onWarning(warning.message());
        } else if (message instanceof NettestMessage.NettestDone done && peersLast == null) {
            peersLast = done.state();
            compare();
        } else if (!(message instanceof NettestMessage nettest) || !onPart(nettest)) {
            throw Cause.MALFORMED.failure(session.peer() + " does not follow the protocol of this version");
        }
    }

    void onWarning(String text) {}

    /** Whether it is a message for this side. */
    abstract boolean takesPart(Class<? extends ControlMessage> type);

    /** Handles a message for this side; false if it is not one. */
    abstract boolean onPart(NettestMessage message);

    private void compare() {
        SideState own = last;
        SideState peers = peersLast;
        if (own != null && peers != null) {
            String disagreement = suite.disagreement(own, peers);
            if (disagreement != null) {
                throw Cause.INTEGRITY.failure("the two ends of the test do not agree: " + disagreement);
            }
        }
    }

    @Override
    public final void onTick() {
        long now = session.clock().nanoTime();
        if (!begun && now - openedNanos > timeoutNanos) {
            throw Cause.CONNECTION_LOST.failure(
                    joined < lanes.length()
                            ? "only " + joined + " of " + lanes.length() + " lanes to " + session.peer() + " opened"
                            : session.peer() + " opened its lanes but did not start the test");
        }
        if (stopped && now - stoppedNanos > DRAIN_NANOS + timeoutNanos) {
            throw Cause.CONNECTION_LOST.failure(
                    (lanes.length() - ended) + " lanes to " + session.peer() + " did not end after the test");
        }
        if (begun && last == null) {
            onMeasuringTick();
        }
    }

    /** Called every few milliseconds while lanes run. */
    abstract void onMeasuringTick();

    @Override
    public final boolean isDone() {
        return last != null && peersLast != null;
    }

    @Override
    public final void onLinkClosed(@Nullable TransferException cause) {
        if (!isDone()) {
            throw SessionHandler.lost(session, cause, " ended the test");
        }
    }
}
