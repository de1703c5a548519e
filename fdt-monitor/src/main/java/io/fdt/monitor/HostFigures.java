package io.fdt.monitor;

import io.fdt.core.host.Nic;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The counters of a host at one moment. Unknown figures are -1 or missing from the list.
 *
 * @param pressureUs by resource
 */
record HostFigures(
        List<CoreTicks> cores,
        List<SoftIrqs> softIrqs,
        List<SoftNet> softNet,
        Map<String, Long> pressureUs,
        List<NicFigures> nics,
        List<QueueFigures> queues,
        List<RdmaFigures> rdma) {

    Map<String, Boolean> sources() {
        Map<String, Boolean> sources = new LinkedHashMap<>();
        sources.put("stat", !cores.isEmpty());
        sources.put("softirqs", !softIrqs.isEmpty());
        sources.put("softnet", !softNet.isEmpty());
        sources.put("interrupts", !queues.isEmpty());
        sources.put("pressure", !pressureUs.isEmpty());
        sources.put("nics", !nics.isEmpty());
        sources.put("rdma", !rdma.isEmpty());
        return sources;
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

    record SoftIrqs(String type, int[] cores, long[] counts) {}

    record SoftNet(int core, long processed, long dropped, long squeezed) {}

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

    record RdmaFigures(String device, int port, Map<String, Long> counters) {}
}
