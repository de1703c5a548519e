package io.fdt.core.host.tune;

import io.fdt.core.host.Core;
import io.fdt.core.host.CoreSet;
import io.fdt.core.host.Host;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Pairs of neighbouring cores near a NIC. One core of a pair handles the interrupts of a queue, the other runs lanes,
 * so that packets are already in the cache that both share, and neither core waits for the other.
 */
final class Layout {
    private final List<Pair> pairs = new ArrayList<>();
    /** Cores for queues: a hardware thread of each pair, then the second threads of the same cores. */
    private final List<Integer> queueSlots = new ArrayList<>();
    /** Cores for lanes, in the same way. */
    private final List<Integer> laneSlots = new ArrayList<>();

    /** Two physical cores, by their first threads; the same core twice on a host with one core. */
    private record Pair(Core queue, Core lane) {}

    Layout(Host host, CoreSet near) {
        List<Core> physical = host.topology().cores().stream()
                .filter(core ->
                        near.contains(core.id()) && core.siblings().and(near).first() == core.id())
                .sorted(Comparator.<Core>comparingInt(
                                core -> core.sharesLastCache().first())
                        .thenComparingInt(Core::id))
                .toList();
        List<Integer> odd = new ArrayList<>();
        for (int i = 0; i < physical.size(); i += 2) {
            Core one = physical.get(i);
            Core other = physical.get(Math.min(i + 1, physical.size() - 1));
            if (other.equals(one) && i > 0) {
                // A core without a neighbour runs lanes.
                odd.add(one.id());
            } else {
                // The kernel's own work prefers core 0; a lane can move away from it, an interrupt cannot.
                pairs.add(one.id() == 0 ? new Pair(other, one) : new Pair(one, other));
            }
        }
        pairs.forEach(pair -> queueSlots.add(pair.queue().id()));
        pairs.forEach(pair -> laneSlots.add(pair.lane().id()));
        laneSlots.addAll(odd);
        for (Pair pair : pairs) {
            addThreads(queueSlots, pair.queue(), near);
            addThreads(laneSlots, pair.lane(), near);
        }
    }

    private static void addThreads(List<Integer> slots, Core core, CoreSet near) {
        slots.addAll(core.siblings().and(near).without(CoreSet.of(core.id())).toList());
    }

    /** Returns 0 if nothing is known about cores. */
    int pairs() {
        return pairs.size();
    }

    int queueSlots() {
        return queueSlots.size();
    }

    /** Returns the core for the n-th queue; starts over if there are more queues than cores. */
    int queueCore(int index) {
        return queueSlots.get(index % queueSlots.size());
    }

    int laneCore(int index) {
        return laneSlots.get(index % laneSlots.size());
    }

    /** Returns all hardware threads of a pair's two cores. */
    CoreSet threads(int pair) {
        return pairs.get(pair).queue().siblings().or(pairs.get(pair).lane().siblings());
    }

    /** Returns the core of a pair that handles interrupts. */
    int queueCoreOf(int pair) {
        return pairs.get(pair).queue().id();
    }

    int laneCoreOf(int pair) {
        return pairs.get(pair).lane().id();
    }
}
