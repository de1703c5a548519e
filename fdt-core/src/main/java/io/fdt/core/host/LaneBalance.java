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
 * Decides which lanes of a session leave the wire that they share with too many others. It is told what the wires of
 * one bond and the lanes have carried, at whatever moments, and knows nothing else: no clock, no files, no chance, so
 * that the same looks always lead to the same moves. Not thread-safe.
 *
 * <p>Wires are compared in lanes: a wire with half of the bytes of eight lanes carries four. They are uneven when
 * moving one lane would make them more even, by a margin that grows with what lanes differ by chance, over several
 * windows in a row. Then:
 *
 * <ul>
 *   <li>Where it is known by the bond's hash which wire each lane takes, as many lanes move as make the counts even, a
 *       few at a time.
 *   <li>Where it is not, as for what a switch decides, one lane is dialled again and the next window tells where it
 *       went. A lane that is known to be on a wire with less stays.
 *   <li>A hash that does not foretell what the wires carry is not believed any more.
 * </ul>
 *
 * <p>Nothing is decided while lanes come and go, while they carry too differently, or while most of what the wires
 * carry is not theirs. Moves are bounded: two for each lane, and one more every half minute, so that what cannot be
 * spread is not stirred for as long as it lasts.
 */
final class LaneBalance {
    /** Wherever it comes to by itself. */
    static final int ANYWHERE = -1;

    private static final long WINDOW_NANOS = 2_000_000_000L;

    /**
     * Where bytes alone decide. Cards that bring their counters up to date once a second would look uneven in a shorter
     * window, as often as not in two in a row.
     */
    private static final long BLIND_WINDOW_NANOS = 4_000_000_000L;

    private static final long LONGEST_WINDOW_NANOS = 60_000_000_000L;
    private static final long REFILL_NANOS = 30_000_000_000L;
    private static final int MOVES_A_LANE = 2;

    /** A lane that is not there again by then is not waited for. */
    private static final long LONGEST_MOVE_NANOS = 30_000_000_000L;

    /** Below this, what a lane moved is chance: blocks of 128 KiB that just went or did not. */
    private static final long MIN_LANE_BYTES = 512 << 10;

    /** Lanes of which one moves more than so many times what another does are not alike. */
    private static final double ALIKE = 4;

    /** Headers and what is sent again take less: with more than this the wires carry what is not of this session. */
    private static final double MOST_OVERHEAD = 1.5;

    /** Part of the bytes that took another wire than the hash says. */
    private static final double MOST_ASTRAY = 0.2;

    private static final int WINDOWS_OF_DISTRUST = 2;

    /** From here on a change of what a wire carries, in lanes, is a lane that moved. */
    private static final double MOVED = 0.5;

    /** One of a bond's wires; counted from whenever. */
    record Wire(String nic, boolean up, long bytes) {}

    /**
     * A lane.
     *
     * @param id of its connection: another one after it was dialled again
     * @param wire by the bond's hash, as an index of the wires; -1 when that does not tell
     */
    record Stream(int lane, long id, int wire, long bytes) {}

    /** What there is at one moment. */
    record Look(long nanos, List<Wire> wires, List<Stream> streams) {
        Look {
            wires = List.copyOf(wires);
            streams = List.copyOf(streams);
        }

        /** Whether nothing but counters lies between the two. */
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

    /** A lane is to be dialled again, so that it goes over this wire. */
    record Move(int lane, int from, int to) {}

    /** What went between two looks; wires in lanes, 0 for those that are down. */
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

    /** The wires, in lanes, before a lane was sent to wherever it comes; and that lane, or -1. */
    private double[] before = new double[0];

    private int sentAnywhere = -1;

    /** Connections that showed where they are by coming there. */
    private final Map<Long, Integer> learned = new HashMap<>();

    /** When each lane was moved last. */
    private final Map<Integer, Long> movedNanos = new HashMap<>();

    /** Lanes that were told to move and are not there again. */
    private final Set<Integer> moving = new HashSet<>();

    private long lastMoveNanos;

    /** @param patience windows in a row that must be uneven before the first move */
    LaneBalance(int patience) {
        this.patience = patience;
    }

    /** Whether there is something uneven that is left alone, because too much was tried. */
    boolean isOutOfMoves() {
        return outOfMoves;
    }

    /** What is to be done now; mostly nothing. */
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

    /** Lanes that were told to move are gone, or are there again; everything else is as it was. */
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
        // What has waited for so long is looked at as it is, and found to be too little.
        return bytes >= MIN_LANE_BYTES * later.streams.size() || nanos > LONGEST_WINDOW_NANOS;
    }

    private List<Move> onWindow(Window window, Look earlier, Look later) {
        List<Integer> usable = IntStream.range(0, later.wires.size())
                .filter(each -> later.wires.get(each).up)
                .boxed()
                .toList();
        boolean little = later.nanos - earlier.nanos > LONGEST_WINDOW_NANOS;
        if (usable.size() < 2 || little || !window.alike || window.foreignRatio > MOST_OVERHEAD) {
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
            // What was seen so often need not be seen as often again for the next.
            unevenWindows = patience - 1;
        }
        return moves;
    }

    private static double margin(int lanes) {
        return Math.max(0.4, 0.15 * Math.sqrt(lanes));
    }

    /** Compares what the hash foretells with what went. */
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
        astrayWindows = astray > MOST_ASTRAY ? astrayWindows + 1 : 0;
        if (astrayWindows >= WINDOWS_OF_DISTRUST) {
            hashBelieved = false;
        }
    }

    /** A lane that was sent anywhere is where the wire got heavier. */
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

    /** Moves that make the lanes on each wire equally many, a quarter of them at a time. */
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

    /** One lane, and wherever it comes to: one known to be on the heavy wire, else one of which nothing is known. */
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

    /** Those that were moved longest ago, or never, come last, and of these the ones with the highest number. */
    private Comparator<Stream> lastMovedFirst() {
        return Comparator.comparingLong((Stream stream) -> -movedNanos.getOrDefault(stream.lane, Long.MIN_VALUE / 2))
                .thenComparingInt(Stream::lane);
    }
}
