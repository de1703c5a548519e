package io.fdt.core.nettest.stream;

import io.fdt.core.nettest.stream.ThroughputSums.Core;
import io.fdt.core.nettest.stream.ThroughputSums.Stream;
import io.fdt.core.wire.NettestMessage.HostFacts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Says what held a throughput test back, from its figures alone. It looks at the direction that carried more. The order
 * of the questions matters: a full NIC or a full slot explains everything; what the sender's TCP itself says it waited
 * for comes before what the cores look like, for busy cores may be busy with waiting; and loss comes before the
 * congestion window that follows from it.
 *
 * <p>Limits: {@code nic}, {@code pcie}, {@code window}, {@code peer}, {@code receiver-cpu}, {@code receiver-softirq},
 * {@code send-buffer}, {@code loss}, {@code sender-cpu}, {@code sender-softirq}, {@code sender-foreign-load}, {@code
 * receiver-foreign-load}, {@code path}, {@code unknown}.
 */
final class Diagnosis {
    private static final double NEARLY = 0.9;
    /** Processor time is counted in steps, and some of the kernel's work for a process is not on its account. */
    private static final double LOADED = 0.85;

    private static final double HELD_BACK = 0.3;
    private static final double BACKLOG = 0.3;
    private static final double MOSTLY = 0.5;
    private static final double ALWAYS = 0.8;
    private static final double LOSSY = 0.001;
    private static final int SEGMENT_BYTES = 1448;

    private final Figures figures;
    private final boolean out;
    private final List<Stream> streams;
    private final double bitsPerSecond;

    /** What is known. CPU seconds are those of the two processes over the same time. */
    record Figures(
            HostFacts local,
            HostFacts remote,
            double seconds,
            List<Stream> streams,
            List<Core> cores,
            double cpuSecondsLocal,
            double cpuSecondsRemote) {}

    private Diagnosis(Figures figures) {
        this.figures = figures;
        this.out = bits(figures.streams, true) >= bits(figures.streams, false);
        this.streams =
                figures.streams.stream().filter(stream -> stream.out() == out).toList();
        this.bitsPerSecond = bits(figures.streams, out);
    }

    static Verdict of(Figures figures) {
        if (figures.seconds <= 0 || figures.streams.stream().allMatch(stream -> stream.bytes() == 0)) {
            return new Verdict("unknown", "No data was moved, so the test found no bottleneck.", List.of());
        }
        return new Diagnosis(figures).verdict();
    }

    private Verdict verdict() {
        double nic = nicBitsPerSecond();
        if (nic > 0 && bitsPerSecond >= NEARLY * nic) {
            return say("nic", "The NIC is full: " + percent(bitsPerSecond / nic) + " of its " + gigabits(nic) + ".");
        }
        HostFacts narrow = narrowSlot();
        if (narrow != null && bitsPerSecond >= NEARLY * narrow.slotBitsPerSecond()) {
            return say(
                    "pcie",
                    "The PCIe slot of " + narrow.nic() + (narrow.equals(figures.local) ? " here" : " of the server")
                            + " is full; it carries less than its NIC: " + narrow.slot() + ".");
        }
        double window = mean(Stream::receiverLimitedShare);
        double backlog = mean(Stream::backlogShare);
        if (window >= HELD_BACK && backlog < BACKLOG) {
            return say(
                    "window",
                    "The receive window is too small for the round-trip time: senders waited for it "
                            + percent(window) + " of the time although the receiver had read everything. Use larger"
                            + " socket buffers or more streams.");
        }
        if (window >= HELD_BACK && isBusy(!out)) {
            return cpu("receiver", !out);
        }
        if (window >= HELD_BACK) {
            return say(
                    "peer",
                    "The receiving program reads data more slowly than it arrives, although its CPUs are not"
                            + " busy: its window was shut " + percent(window) + " of the time.");
        }
        double buffer = mean(Stream::bufferLimitedShare);
        if (buffer >= HELD_BACK) {
            return say(
                    "send-buffer",
                    "The send buffers are too small for the round-trip time: they limited the senders "
                            + percent(buffer) + " of the time. Use a larger --socket-buffer or more streams.");
        }
        if (lossRatio() >= LOSSY) {
            return say(
                    "loss",
                    "The path loses packets: " + retransmits() + " were retransmitted, "
                            + String.format(Locale.ROOT, "%.2f %%", 100 * lossRatio()) + " of all.");
        }
        if (isBusy(out) || isBusy(!out) || isHostBusy()) {
            boolean sender = isBusy(out) == isBusy(!out) ? usedShare(out) >= usedShare(!out) : isBusy(out);
            return cpu(sender ? "sender" : "receiver", sender == out);
        }
        if (mean(Stream::busyShare) >= ALWAYS) {
            return say(
                    "path",
                    "The network between the hosts is the bottleneck: data was always in flight, no window or"
                            + " buffer limited it, and the CPUs of both ends are not busy.");
        }
        return say("unknown", "There is no single bottleneck.");
    }

    /** The side's processors are the limit. */
    private Verdict cpu(String role, boolean local) {
        Core hottest = hottest(local);
        if (hottest != null && hottest.busy() >= NEARLY && hottest.softirq() >= MOSTLY * hottest.busy()) {
            return say(
                    role + "-softirq",
                    "Core " + hottest.core() + " of the " + role + " is saturated by packet processing (softirq "
                            + percent(hottest.softirq())
                            + "). Spread the NIC's queues over more cores.");
        }
        String shared = isOneHost() ? " (on the same machine as the other end)" : "";
        double own = ownCores(local);
        double foreign = foreignCores(local);
        if (foreign > own) {
            return say(
                    role + "-foreign-load",
                    "Other programs use the CPU of the " + role + shared
                            + String.format(
                                    Locale.ROOT,
                                    ": they used %.1f cores, and the test %.1f of %d. Stop them, or test again when"
                                            + " they have ended.",
                                    foreign,
                                    own,
                                    facts(local).allowedCores()));
        }
        return say(
                role + "-cpu",
                "The CPU of the " + role + shared + " is the bottleneck: its process used "
                        + String.format(Locale.ROOT, "%.1f", cpuSeconds(local) / figures.seconds) + " of "
                        + facts(local).allowedCores() + " cores"
                        + (usedShare(local) < LOADED && hasNoCoreLeft(local)
                                ? String.format(Locale.ROOT, ", other programs %.1f", foreign)
                                : "")
                        + (hottest == null ? "." : ", and its busiest core was busy " + percent(hottest.busy()) + "."));
    }

    private boolean isBusy(boolean local) {
        if (usedShare(local) >= LOADED || hasNoCoreLeft(local)) {
            return true;
        }
        Core hottest = hottest(local);
        // On one host a busy core may be the other end's.
        return !isOneHost() && hottest != null && hottest.busy() >= NEARLY;
    }

    /** The process's own share of the cores that it may use. */
    private double usedShare(boolean local) {
        return cpuSeconds(local) / figures.seconds / Math.max(1, facts(local).allowedCores());
    }

    /** The cores that the test itself used of those that {@link #foreignCores} looks at. */
    private double ownCores(boolean local) {
        boolean both = isOneHost() && !isPinned(local);
        return (cpuSeconds(local) + (both ? cpuSeconds(!local) : 0)) / figures.seconds;
    }

    /**
     * The cores that other programs used: of the host, or of those that the side's lanes run on if it may not use all.
     */
    private double foreignCores(boolean local) {
        Set<Integer> used = laneCores(local);
        boolean pinned = isPinned(local);
        double busy = figures.cores.stream()
                .filter(core -> core.local() == local && (!pinned || used.contains(core.core())))
                .mapToDouble(core -> core.busy() - core.softirq())
                .sum();
        return Math.max(0, busy - ownCores(local));
    }

    private boolean isPinned(boolean local) {
        long cores =
                figures.cores.stream().filter(core -> core.local() == local).count();
        return facts(local).allowedCores() < cores;
    }

    private Set<Integer> laneCores(boolean local) {
        return streams.stream()
                .map(stream -> local == out ? stream.senderCore() : stream.core())
                .collect(Collectors.toSet());
    }

    /** The side's lanes run on every core that its process may use, and all of these are full, whoever fills them. */
    private boolean hasNoCoreLeft(boolean local) {
        Set<Integer> used = laneCores(local);
        long full = figures.cores.stream()
                .filter(core -> core.local() == local && used.contains(core.core()) && core.busy() >= LOADED)
                .count();
        return full > 0 && full >= facts(local).allowedCores();
    }

    /** Both ends share the cores, and none is left over. */
    private boolean isHostBusy() {
        return isOneHost()
                && figures.cores.stream()
                                .filter(Core::local)
                                .mapToDouble(Core::busy)
                                .average()
                                .orElse(0)
                        >= LOADED;
    }

    private boolean isOneHost() {
        return figures.local.host().equals(figures.remote.host())
                && figures.local.kernel().equals(figures.remote.kernel());
    }

    private @Nullable Core hottest(boolean local) {
        return figures.cores.stream()
                .filter(core -> core.local() == local)
                .max(Comparator.comparingDouble(Core::busy))
                .orElse(null);
    }

    private HostFacts facts(boolean local) {
        return local ? figures.local : figures.remote;
    }

    private double cpuSeconds(boolean local) {
        return local ? figures.cpuSecondsLocal : figures.cpuSecondsRemote;
    }

    /** Of the slower NIC; 0 when neither says. */
    private double nicBitsPerSecond() {
        long here = figures.local.nicBitsPerSecond();
        long there = figures.remote.nicBitsPerSecond();
        return here == 0 ? there : there == 0 ? here : Math.min(here, there);
    }

    /** The side whose slot carries less than its NIC and less than the other's; null when neither's does. */
    private @Nullable HostFacts narrowSlot() {
        return List.of(figures.local, figures.remote).stream()
                .filter(facts -> facts.slotBitsPerSecond() > 0)
                .filter(facts -> facts.nicBitsPerSecond() == 0 || facts.slotBitsPerSecond() < facts.nicBitsPerSecond())
                .min(Comparator.comparingLong(HostFacts::slotBitsPerSecond))
                .orElse(null);
    }

    private long retransmits() {
        return streams.stream().mapToLong(Stream::retransmits).sum();
    }

    /** Lanes that are not TCP lose nothing. */
    private double lossRatio() {
        double segments = streams.stream().mapToLong(Stream::bytes).sum() / (double) SEGMENT_BYTES;
        return segments <= 0 ? 0 : retransmits() / segments;
    }

    private double mean(ToDoubleFunction<Stream> figure) {
        return streams.stream().mapToDouble(figure).average().orElse(0);
    }

    private static double bits(List<Stream> streams, boolean out) {
        return streams.stream()
                .filter(stream -> stream.out() == out)
                .mapToDouble(Stream::bitsPerSecond)
                .sum();
    }

    private Verdict say(String limit, String sentence) {
        List<String> evidence = new ArrayList<>();
        evidence.add("rate " + gigabits(bitsPerSecond) + " over " + streams.size() + " streams "
                + (out ? "from here to the server" : "from the server to here"));
        if (nicBitsPerSecond() > 0) {
            evidence.add("NIC speed " + gigabits(nicBitsPerSecond()));
        }
        for (HostFacts facts : List.of(figures.local, figures.remote)) {
            if (facts.slotBitsPerSecond() > 0) {
                evidence.add("PCIe slot of " + facts.host() + ": " + facts.slot());
            }
        }
        if (streams.stream().allMatch(Stream::hasTcp)) {
            addTcp(evidence);
        }
        evidence.add("receiver found a full block waiting in " + percent(mean(Stream::backlogShare)) + " of its polls");
        for (boolean local : new boolean[] {true, false}) {
            Core hottest = hottest(local);
            String side = local ? "here" : "server";
            evidence.add(side + ": " + String.format(Locale.ROOT, "%.1f", cpuSeconds(local) / figures.seconds) + " of "
                    + facts(local).allowedCores() + " cores used"
                    + (hottest == null
                            ? ""
                            : ", core " + hottest.core() + " busiest: user " + percent(hottest.user()) + ", system "
                                    + percent(hottest.system()) + ", softirq " + percent(hottest.softirq())));
        }
        return new Verdict(limit, sentence, evidence);
    }

    private void addTcp(List<String> evidence) {
        evidence.add("senders with data in flight " + percent(mean(Stream::busyShare)) + " of the time, limited by the"
                + " receiver's window " + percent(mean(Stream::receiverLimitedShare)) + ", by the send buffer "
                + percent(mean(Stream::bufferLimitedShare)));
        evidence.add("round-trip time " + Math.round(mean(Stream::rttUs)) + " us, congestion window "
                + Math.round(mean(Stream::cwndBytes) / 1024) + " KiB, receiver's window "
                + Math.round(mean(Stream::windowBytes) / 1024) + " KiB a stream");
        evidence.add(retransmits() + " retransmits");
    }

    private static String percent(double share) {
        return Math.round(100 * share) + " %";
    }

    private static String gigabits(double bitsPerSecond) {
        return String.format(Locale.ROOT, "%.2f Gbit/s", bitsPerSecond / 1e9);
    }
}
