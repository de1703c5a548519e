package io.fdt.monitor;

import io.fdt.core.host.Nic;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a host had counted at one moment. What it does not show is absent: -1, or not in the list.
 *
 * @param pressureUs by resource
 * @param sources whether each source could be read
 */
record HostFigures(
        List<CoreTicks> cores,
        List<SoftIrqs> softIrqs,
        List<SoftNet> softNet,
        Map<String, Long> pressureUs,
        List<NicFigures> nics,
        List<QueueFigures> queues,
        List<RdmaFigures> rdma,
        Map<String, Boolean> sources) {

    /** The modes of {@code /proc/stat} in its order. */
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

    /** The ticks that a core spent in each mode. */
    record CoreTicks(int core, int node, long[] ticks) {
        @SuppressWarnings("EnumOrdinal") // an index into memory, never stored or sent
        long get(Mode mode) {
            return ticks[mode.ordinal()];
        }

        long total() {
            long sum = 0;
            for (long each : ticks) {
                sum += each;
            }
            return sum;
        }
    }

    /** Soft interrupts of one kind. */
    record SoftIrqs(String type, int[] cores, long[] counts) {}

    record SoftNet(int core, long processed, long dropped, long squeezed) {}

    /**
     * What a NIC counted.
     *
     * @param bond that it is a part of
     */
    record NicFigures(
            Nic nic,
            @Nullable String bond,
            long rxBytes,
            long txBytes,
            long rxPackets,
            long txPackets,
            long rxDrops,
            long txDrops) {}

    /**
     * The interrupts of a queue.
     *
     * @param queue its name: a number, and {@code rx-} or {@code tx-} before it where these have interrupts of their
     * own
     * @param counts in the order of {@code cores}
     * @param core that takes it by its settings; -1 when unknown
     */
    record QueueFigures(String nic, String queue, int irq, int[] cores, long[] counts, int core) {
        long total() {
            long sum = 0;
            for (long count : counts) {
                sum += count;
            }
            return sum;
        }
    }

    record RdmaFigures(String device, int port, Map<String, Long> counters) {}
}
