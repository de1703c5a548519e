package io.fdt.monitor;

import io.fdt.core.host.Nic;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Meter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The counters of a host at one moment. Unknown figures are -1 or missing from the list.
 *
 * @param exported figures that are exported as they are, and not shown
 */
record HostFigures(
        List<CoreTicks> cores,
        List<Figure> exported,
        List<NicFigures> nics,
        List<QueueFigures> queues,
        List<RootFigures> roots) {

    Map<String, Boolean> sources() {
        Map<String, Boolean> sources = new LinkedHashMap<>();
        sources.put("stat", !cores.isEmpty());
        sources.put("softirqs", exports(Meter.HOST_SOFTIRQS));
        sources.put("softnet", exports(Meter.HOST_SOFTNET_PROCESSED));
        sources.put("interrupts", !queues.isEmpty());
        sources.put("pressure", exports(Meter.HOST_PRESSURE_SECONDS));
        sources.put("tcp", exports(Meter.HOST_LISTEN_DROPS));
        sources.put("nics", !nics.isEmpty());
        sources.put("rdma", exports(Meter.RDMA_TRANSMIT_BYTES));
        return sources;
    }

    private boolean exports(Meter meter) {
        return exported.stream().anyMatch(figure -> figure.meter() == meter);
    }

    /** The modes of {@code /proc/stat}, in that file's order. */
    enum Mode {
        USER,
        NICE,
        SYSTEM,
        IDLE,
        IOWAIT,
        IRQ,
        SOFTIRQ,
        STEAL
    }

    record CoreTicks(int core, int node, long[] ticks) {
        @SuppressWarnings("EnumOrdinal") // an index into memory, never stored or sent
        long get(Mode mode) {
            return ticks[mode.ordinal()];
        }

        long total() {
            return LongStream.of(ticks).sum();
        }
    }

    /**
     * The counters of a NIC.
     *
     * @param bond that it belongs to
     */
    record NicFigures(Nic nic, @Nullable String bond, Traffic received, Traffic sent) {}

    record Traffic(long bytes, long packets, long drops) {}

    /**
     * The interrupts of a queue.
     *
     * @param queue its name: a number, preceded by {@code rx-} or {@code tx-} if the directions have separate
     *     interrupts
     * @param counts in the order of {@code cores}
     * @param core configured to handle them; -1 if unknown
     */
    record QueueFigures(String nic, String queue, int irq, int[] cores, long[] counts, int core) {
        long total() {
            return LongStream.of(counts).sum();
        }
    }

    /** @param disk below the root; null if its file system has none, or the host does not show it */
    record RootFigures(ExportedRoot root, @Nullable DiskFigures disk) {}

    record DiskFigures(Requests reads, Requests writes, long busyMs) {}

    /**
     * The finished requests of a disk in one direction.
     *
     * @param ms that all of them took
     */
    record Requests(long count, long bytes, long ms) {}
}
