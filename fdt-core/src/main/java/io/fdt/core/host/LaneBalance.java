package io.fdt.core.host;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Decides which lanes of a session should leave a wire that they share with too many others. Its only input is what the
 * wires of one bond and the lanes have carried at some moments; it uses no clock, files or random numbers, so the same
 * looks always lead to the same moves. Not thread-safe.
 *
 * <p>The load of a wire is measured in lanes: with eight lanes, a wire that carries half of the bytes carries four
 * lanes. Wires are uneven if moving one lane would make them more even in several windows in a row, by a margin that
 * grows with the random differences between lanes. Then:
 *
 * <ul>
 * <li>If the bond's hash determines the wire of each lane, as many lanes move as needed to even the counts, a few at a
 * time.
 * <li>Otherwise, for example if a switch decides, one lane is redialled and the next window shows which wire it now
 * uses. A lane that is known to be on a less loaded wire stays.
 * <li>A hash that does not predict the load of the wires is no longer trusted.
 * </ul>
 *
 * <p>Nothing is decided while lanes come and go, while their rates differ too much, or while too much of the traffic on
 * the wires is foreign. Moves are limited to two for each lane and another one every half minute, so that a session
 * whose lanes cannot be spread is not disturbed for as long as it lasts.
 */
final class LaneBalance {
    /** The target wire cannot be chosen. */
    static final int ANYWHERE = -1;

    private static final long WINDOW_NANOS = 2_000_000_000L;

    /**
     * The window if only bytes show the lanes' wires. In a shorter window, NICs that update their counters once a
     * second would appear uneven, often twice in a row.
     */
    private static final long BLIND_WINDOW_NANOS = 4_000_000_000L;

    private static final long LONGEST_WINDOW_NANOS = 60_000_000_000L;
    private static final long REFILL_NANOS = 30_000_000_000L;
    private static final int MOVES_A_LANE = 2;

    /** A lane that has not been redialled by then is no longer waited for. */
    private static final long LONGEST_MOVE_NANOS = 30_000_000_000L;

    /** With fewer bytes a lane's amount is random: single blocks of 128 KiB were just sent or not. */
    private static final long MIN_LANE_BYTES = 512 << 10;

    /** Lanes differ too much if one moves more than this many times the bytes of another. */
    private static final double ALIKE = 4;

    /** Headers and retransmissions take less: above this ratio the wires carry foreign traffic. */
    private static final double MAX_OVERHEAD = 1.5;

    /** The share of bytes that took a different wire than the hash predicts. */
    private static final double MAX_ASTRAY = 0.2;

    private static final int WINDOWS_OF_DISTRUST = 2;

    /** The smallest change of a wire's load, in lanes, that shows that a lane has moved. */
    private static final double MOVED = 0.5;

    /** A wire of a bond; its byte counter may start at any value. */
    record Wire(String nic, boolean up, long bytes) {}

    /**
     * A lane.
     *
     * @param id of its connection, which changes when the lane is redialled
     * @param wire the index of the wire that the bond's hash gives; -1 if unknown
     */
    record Stream(int lane, long id, int wire, long bytes) {}

    /** The wires and lanes at one moment. */
    record Look(long nanos, List<Wire> wires, List<Stream> streams) {
        Look {
            wires = List.copyOf(wires);
            streams = List.copyOf(streams);
        }

        /** Whether only counters have changed since the earlier look. */
        boolean continues(Look earlier) {
            return wires.size() == earlier.wires.size()
                    && streams.size() == earlier.streams.size()
                    && IntStream.range(0, wires.size())
                            .allMatch(each -> wires.get(each).nic.equals(earlier.wires.get(each).nic)
                                    && wires.get(each).up == earlier.wires.get(each).up
                                    && wires.get(each).bytes >= earlier.wires.get(each).bytes)
                    && IntStream.range(0, streams.size())
                            .allMatch(each -> streams.get(each).lane == earlier.streams.get(each).lane
                                    && streams.get(each).id == earlier.streams.get(each).id
                                    && streams.get(each).wire == earlier.streams.get(each).wire
                                    && streams.get(each).bytes >= earlier.streams.get(each).bytes);
        }
    }

    /** A lane to redial so that it moves to wire {@code to}. */
    record Move(int lane, int from, int to) {}

    /** The traffic between two looks; the load of wires is in lanes, 0 for wires that are down. */
    private record Window(double[] wires, double foreignRatio, boolean alike) {
        static Window between(Look earlier, Look later) {
            int lanes = later.streams.size();
            double laneBytes = 0;
            double most = 0;
            double least = Double.MAX_VALUE;
            for (int each = 0; each < lanes; each++) {
                double bytes = later.streams.get(each).bytes - earlier.streams.get(each).bytes;
                laneBytes += bytes;
                most = Math.max(most, bytes);
                least = Math.min(least, bytes);
            }
            double[] wires = new double[later.wires.size()];
            double wireBytes = 0;
            for (int each = 0; each < wires.length; each++) {
                wires[each] =
                        later.wires.get(each).up ? later.wires.get(each).bytes - earlier.wires.get(each).bytes : 0;
                wireBytes += wires[each];
            }
            for (int each = 0; each < wires.length; each++) {
                wires[each] = wireBytes == 0 ? 0 : wires[each] * lanes / wireBytes;
            }
            boolean alike = least > 0 && most <= ALIKE * least;
            return new Window(wires, laneBytes == 0 ? Double.MAX_VALUE : wireBytes / laneBytes, alike);
        }
    }

    private final int patience;

    private @Nullable Look begin;
    private int unevenWindows;
    private int astrayWindows;
    private boolean hashBelieved = true;

    private double movesLeft = -1;
    private long movesCountedNanos;
    private boolean outOfMoves;

    /**
     * The load of the wires, in lanes, before a lane was redialled whose wire cannot be chosen; below, that lane, or
     * -1.
     */
    private double[] before = new double[0];

    private int sentAnywhere = -1;

    /** The wires of redialled connections, as detected from the change of the load. */
    private final Map<Long, Integer> learned = new HashMap<>();

    private final Map<Integer, Long> movedNanos = new HashMap<>();

    /** Lanes that have been told to move and have not been redialled yet. */
    private final Set<Integer> moving = new HashSet<>();

    private long lastMoveNanos;

    /** @param patience windows in a row that must be uneven before the first move */
    LaneBalance(int patience) {
        this.patience = patience;
    }

    /** Whether lanes are uneven but no moves are left. */
    boolean isOutOfMoves() {
        return outOfMoves;
    }

    /** Returns the moves to make now; usually none. */
    List<Move> decide(Look look) {
        countMoves(look);
        Look earlier = begin;
        if (earlier == null || !look.continues(earlier)) {
            boolean ours = earlier != null && isOurMove(earlier, look);
            begin = look;
            if (!ours) {
                unevenWindows = 0;
                sentAnywhere = -1;
            }
            return List.of();
        }
        if (look.nanos - lastMoveNanos > LONGEST_MOVE_NANOS) {
            moving.clear();
        }
        if (!moving.isEmpty() || !isLongEnough(earlier, look)) {
            return List.of();
        }
        begin = look;
        return onWindow(Window.between(earlier, look), earlier, look);
    }

    private void countMoves(Look look) {
        double most = MOVES_A_LANE * look.streams.size();
        if (movesLeft < 0) {
            movesLeft = most;
        } else {
            double refill = (double) (look.nanos - movesCountedNanos) / REFILL_NANOS;
            movesLeft = Math.max(movesLeft, Math.min(most, movesLeft + refill));
        }
        movesCountedNanos = look.nanos;
    }

    /** Whether the only changes are that lanes told to move have gone or have been redialled. */
    private boolean isOurMove(Look earlier, Look later) {
        boolean sameWires = IntStream.range(0, Math.min(earlier.wires.size(), later.wires.size()))
                .allMatch(each -> earlier.wires.get(each).up == later.wires.get(each).up);
        if (!sameWires || earlier.wires.size() != later.wires.size()) {
            return false;
        }
        Map<Integer, Long> ids = new HashMap<>();
        earlier.streams.forEach(stream -> ids.put(stream.lane, stream.id));
        for (Stream stream : later.streams) {
            Long id = ids.remove(stream.lane);
            if ((id == null || id != stream.id) && !moving.remove(stream.lane)) {
                return false;
            }
        }
        return moving.containsAll(ids.keySet());
    }

    private boolean isLongEnough(Look earlier, Look later) {
        long nanos = later.nanos - earlier.nanos;
        if (nanos < (allKnown(later) ? WINDOW_NANOS : BLIND_WINDOW_NANOS) || later.streams.size() < 2) {
            return false;
        }
        long bytes = 0;
        for (int each = 0; each < later.streams.size(); each++) {
            bytes += later.streams.get(each).bytes - earlier.streams.get(each).bytes;
        }
        // After this long the window ends as it is, and counts as too little traffic.
        return bytes >= MIN_LANE_BYTES * later.streams.size() || nanos > LONGEST_WINDOW_NANOS;
    }

    private List<Move> onWindow(Window window, Look earlier, Look later) {
        List<Integer> usable = IntStream.range(0, later.wires.size())
                .filter(each -> later.wires.get(each).up)
                .boxed()
                .toList();
        boolean little = later.nanos - earlier.nanos > LONGEST_WINDOW_NANOS;
        if (usable.size() < 2 || little || !window.alike || window.foreignRatio > MAX_OVERHEAD) {
            unevenWindows = 0;
            sentAnywhere = -1;
            return List.of();
        }
        testHash(window, earlier, later);
        learn(window, later);
        Comparator<Integer> weight = Comparator.comparingDouble(each -> window.wires[each]);
        int heavy = Collections.max(usable, weight);
        int light = Collections.min(usable, weight);
        if (window.wires[heavy] - window.wires[light] < 1 + margin(later.streams.size())) {
            unevenWindows = 0;
            outOfMoves = false;
            return List.of();
        }
        unevenWindows++;
        if (unevenWindows < patience) {
            return List.of();
        }
        List<Move> moves = allKnown(later) ? counted(later) : blind(later, heavy, light);
        if (!moves.isEmpty()) {
            movesLeft -= moves.size();
            lastMoveNanos = later.nanos;
            for (Move move : moves) {
                movedNanos.put(move.lane, later.nanos);
                moving.add(move.lane);
            }
            before = window.wires;
            sentAnywhere = moves.size() == 1 ? moves.get(0).lane : -1;
            // After this many uneven windows, one more is enough for the next move.
            unevenWindows = patience - 1;
        }
        return moves;
    }

    private static double margin(int lanes) {
        return Math.max(0.4, 0.15 * Math.sqrt(lanes));
    }

    /** Compares the load that the hash predicts with the measured one. */
    private void testHash(Window window, Look earlier, Look later) {
        double[] foretold = new double[window.wires.length];
        double lanes = later.streams.size();
        double sum = 0;
        for (int each = 0; each < later.streams.size(); each++) {
            Stream stream = later.streams.get(each);
            if (stream.wire < 0) {
                return;
            }
            double bytes = stream.bytes - earlier.streams.get(each).bytes;
            foretold[stream.wire] += bytes;
            sum += bytes;
        }
        double astray = 0;
        for (int wire = 0; wire < foretold.length; wire++) {
            astray += Math.abs(foretold[wire] / sum - window.wires[wire] / lanes) / 2;
        }
        astrayWindows = astray > MAX_ASTRAY ? astrayWindows + 1 : 0;
        if (astrayWindows >= WINDOWS_OF_DISTRUST) {
            hashBelieved = false;
        }
    }

    /** A redialled lane whose wire could not be chosen is on the wire whose load has grown. */
    private void learn(Window window, Look look) {
        int lane = sentAnywhere;
        sentAnywhere = -1;
        if (lane < 0 || before.length != window.wires.length) {
            return;
        }
        int grown = 0;
        int shrunk = 0;
        for (int wire = 1; wire < before.length; wire++) {
            grown = growth(window, wire) > growth(window, grown) ? wire : grown;
            shrunk = growth(window, wire) < growth(window, shrunk) ? wire : shrunk;
        }
        if (growth(window, grown) > MOVED && growth(window, shrunk) < -MOVED) {
            for (Stream stream : look.streams) {
                if (stream.lane == lane) {
                    learned.put(stream.id, grown);
                }
            }
        }
        learned.keySet().retainAll(look.streams.stream().map(Stream::id).toList());
    }

    private double growth(Window window, int wire) {
        return window.wires[wire] - before[wire];
    }

    private boolean allKnown(Look look) {
        return hashBelieved && look.streams.stream().allMatch(stream -> stream.wire >= 0);
    }

    private int placeOf(Stream stream) {
        return hashBelieved && stream.wire >= 0 ? stream.wire : learned.getOrDefault(stream.id, ANYWHERE);
    }

    /** Returns moves that even the number of lanes on each wire, at most a quarter of the lanes at a time. */
    private List<Move> counted(Look look) {
        Map<Integer, List<Stream>> onWire = new TreeMap<>();
        for (int wire = 0; wire < look.wires.size(); wire++) {
            if (look.wires.get(wire).up) {
                onWire.put(wire, new ArrayList<>());
            }
        }
        for (Stream stream : look.streams) {
            onWire.computeIfAbsent(stream.wire, wire -> new ArrayList<>()).add(stream);
        }
        onWire.values().forEach(streams -> streams.sort(lastMovedFirst()));
        List<Move> moves = new ArrayList<>();
        int most = Math.max(1, look.streams.size() / 4);
        Comparator<Map.Entry<Integer, List<Stream>>> count =
                Comparator.comparingInt(entry -> entry.getValue().size());
        while (moves.size() < most) {
            Map.Entry<Integer, List<Stream>> from = Collections.max(onWire.entrySet(), count);
            Map.Entry<Integer, List<Stream>> to = Collections.min(onWire.entrySet(), count);
            List<Stream> crowd = from.getValue();
            List<Stream> few = to.getValue();
            if (crowd.size() - few.size() < 2) {
                return moves;
            }
            if (movesLeft < moves.size() + 1) {
                outOfMoves = true;
                return moves;
            }
            Stream chosen = crowd.remove(crowd.size() - 1);
            few.add(0, chosen);
            moves.add(new Move(chosen.lane, from.getKey(), to.getKey()));
        }
        return moves;
    }

    /** Returns a move of one lane: one known to be on the heavy wire, else one whose wire is unknown. */
    private List<Move> blind(Look look, int heavy, int light) {
        if (movesLeft < 1) {
            outOfMoves = true;
            return List.of();
        }
        return look.streams.stream()
                .filter(stream -> placeOf(stream) == heavy || placeOf(stream) == ANYWHERE)
                .max(Comparator.comparing((Stream stream) -> placeOf(stream) == heavy)
                        .thenComparing(lastMovedFirst()))
                .map(stream ->
                        List.of(new Move(stream.lane, heavy, hashBelieved && stream.wire >= 0 ? light : ANYWHERE)))
                .orElse(List.of());
    }

    /** Lanes that were moved longest ago, or never, come last, in the order of their numbers. */
    private Comparator<Stream> lastMovedFirst() {
        return Comparator.comparingLong((Stream stream) -> -movedNanos.getOrDefault(stream.lane, Long.MIN_VALUE / 2))
                .thenComparingInt(Stream::lane);
    }
}
