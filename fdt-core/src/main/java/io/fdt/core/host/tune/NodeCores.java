package io.fdt.core.host.tune;

import io.fdt.core.basic.Figures;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.host.Core;
import io.fdt.core.host.CoreSet;
import io.fdt.core.host.Host;
import io.fdt.core.host.Nic;
import java.util.Comparator;
import java.util.List;

/**
 * Cores for lanes on the NUMA node of the fastest NIC, and as many on another node. Which is faster depends on the
 * host: a lane beside the NIC finds packets in its cache, and one on the other node leaves that cache to the
 * interrupts.
 *
 * @param node of the NIC
 * @param same cores of that node that take no interrupts, if there are such
 */
public record NodeCores(String nic, int node, CoreSet same, CoreSet other) {
    /** Rates of two runs differ by more than this by chance. */
    private static final double BY_CHANCE = 0.02;

    /** More than any host has places for lanes, to get all of them. */
    private static final int MANY_LANES = 4096;

    /**
     * @param allowed the cores that this process may use
     * @throws TransferException USAGE if there is nothing to compare
     */
    public static NodeCores of(Host host, CoreSet allowed) {
        if (host.topology().nodes().size() < 2) {
            throw nothing("this host has one NUMA node");
        }
        TuneRequest request = new TuneRequest(List.of(), 0, 0, MANY_LANES);
        Nic nic = request.nicsOf(host).stream()
                .filter(each -> each.device().node() >= 0)
                .max(Comparator.comparingLong(each -> each.link().bitsPerSecond()))
                .orElseThrow(() -> nothing("no NIC that is up shows its NUMA node"));
        int node = nic.device().node();
        CoreSet planned = CoreSet.of(TunePlan.of(host, request).lanes().stream()
                .filter(place -> place.node() == node)
                .mapToInt(TunePlan.LanePlace::core));
        CoreSet near = firstThreads(host, allowed, node, true);
        CoreSet same = planned.and(near).isEmpty() ? near : planned.and(near);
        CoreSet far = firstThreads(host, allowed, node, false);
        CoreSet other = CoreSet.of(far.toList().stream().limit(same.size()).mapToInt(Integer::intValue));
        if (same.isEmpty() || other.isEmpty()) {
            throw nothing("this process may use the cores of only one NUMA node");
        }
        return new NodeCores(nic.name(), node, same, other);
    }

    private static TransferException nothing(String why) {
        return Cause.USAGE.failure("--pin nodes: " + why + ", so there is nothing to compare; leave --pin out");
    }

    private static CoreSet firstThreads(Host host, CoreSet allowed, int node, boolean onNode) {
        return CoreSet.of(host.topology().cores().stream()
                        .filter(core -> (core.node() == node) == onNode)
                        .filter(core -> core.siblings().first() == core.id())
                        .mapToInt(Core::id))
                .and(allowed);
    }

    /** Returns the word for the side that is faster: {@code same}, {@code other} or {@code neither}. */
    public String faster(double sameBitsPerSecond, double otherBitsPerSecond) {
        if (Math.abs(sameBitsPerSecond - otherBitsPerSecond)
                <= BY_CHANCE * Math.max(sameBitsPerSecond, otherBitsPerSecond)) {
            return "neither";
        }
        return sameBitsPerSecond > otherBitsPerSecond ? "same" : "other";
    }

    /** Describes both rates, and which to use. */
    public String verdict(double sameBitsPerSecond, double otherBitsPerSecond) {
        String advice = switch (faster(sameBitsPerSecond, otherBitsPerSecond)) {
            case "same" -> "the NIC's node is faster: use --pin " + same;
            case "other" -> "the other node is faster: use --pin " + other;
            default -> "neither is faster than the other: --pin auto is good";
        };
        return Figures.text(
                "lanes on node %d, that of %s (cores %s): %.2f Gbit/s; on another node (cores %s): %.2f Gbit/s; %s",
                node, nic, same, sameBitsPerSecond / 1e9, other, otherBitsPerSecond / 1e9, advice);
    }
}
