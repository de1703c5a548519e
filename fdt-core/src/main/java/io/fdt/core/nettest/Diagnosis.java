package io.fdt.core.nettest;

import io.fdt.core.nettest.ThroughputResult.Core;
import io.fdt.core.nettest.ThroughputResult.Stream;
import io.fdt.core.wire.NettestMessage.HostFacts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Says what held a throughput test back, from its figures alone. It looks at the direction that carried more. The order of the
 * questions matters: a full NIC explains everything; what the sender's TCP itself says it waited for comes before what the
 * cores look like, for busy cores may be busy with waiting; and loss comes before the congestion window that follows from it.
 *
 * <p>Limits: {@code nic}, {@code window}, {@code peer}, {@code receiver-cpu}, {@code receiver-softirq}, {@code send-buffer},
 * {@code loss}, {@code sender-cpu}, {@code sender-softirq}, {@code path}, {@code unknown}.
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
            return new Verdict("unknown", "Nothing was moved, so nothing can be said of the limit.", List.of());
        }
        return new Diagnosis(figures).verdict();
    }

    private Verdict verdict() {
        double nic = nicBitsPerSecond();
        if (nic > 0 && bitsPerSecond >= NEARLY * nic) {
            return say("nic", "The NIC is full: " + percent(bitsPerSecond / nic) + " of its " + gigabits(nic) + ".");
        }
        double window = mean(Stream::receiverLimitedShare);
        double backlog = mean(Stream::backlogShare);
        if (window >= HELD_BACK && backlog < BACKLOG) {
            return say(
                    "window",
                    "The receive window is too small for the round-trip time: the senders waited for it "
                            + percent(window) + " of the time although the receiver had taken everything;"
                            + " larger socket buffers or more streams would help.");
        }
        if (window >= HELD_BACK && isBusy(!out)) {
            return cpu("receiver", !out);
        }
        if (window >= HELD_BACK) {
            return say(
                    "peer",
                    "The receiving program takes data more slowly than it arrives, with processors to spare: its window was"
                            + " shut " + percent(window) + " of the time.");
        }
        double buffer = mean(Stream::bufferLimitedShare);
        if (buffer >= HELD_BACK) {
            return say(
                    "send-buffer",
                    "The send buffers are too small for the round-trip time: they held the senders back "
                            + percent(buffer) + " of the time; a larger --socket-buffer or more streams would help.");
        }
        if (lossRatio() >= LOSSY) {
            return say(
                    "loss",
                    "The path loses packets: " + retransmits() + " were sent again, "
                            + String.format(Locale.ROOT, "%.2f %%", 100 * lossRatio()) + " of all.");
        }
        if (isBusy(out) || isBusy(!out) || isHostBusy()) {
            boolean sender = isBusy(out) == isBusy(!out) ? cpuSeconds(out) >= cpuSeconds(!out) : isBusy(out);
            return cpu(sender ? "sender" : "receiver", sender == out);
        }
        if (mean(Stream::busyShare) >= ALWAYS) {
            return say(
                    "path",
                    "The network between the hosts is the limit: data was always under way, no window or buffer held it back,"
                            + " and both sides have processors to spare.");
        }
        return say("unknown", "No single limit stands out.");
    }

    /** The side's processors are the limit. */
    private Verdict cpu(String role, boolean local) {
        Core hottest = hottest(local);
        if (hottest != null && hottest.busy() >= NEARLY && hottest.softirq() >= MOSTLY * hottest.busy()) {
            return say(
                    role + "-softirq",
                    "Core " + hottest.core() + " of the " + role + " is full of packet work (softirq "
                            + percent(hottest.softirq())
                            + "); spreading the NIC's queues over more cores would help.");
        }
        String shared = isOneHost() ? ", which is the same machine as the other end" : "";
        return say(
                role + "-cpu",
                "The processors of the " + role + shared + ", are the limit: its process used "
                        + String.format(Locale.ROOT, "%.1f", cpuSeconds(local) / figures.seconds) + " of "
                        + facts(local).allowedCores() + " cores"
                        + (hottest == null ? "." : ", and its busiest core was busy " + percent(hottest.busy()) + "."));
    }

    private boolean isBusy(boolean local) {
        int allowed = Math.max(1, facts(local).allowedCores());
        if (cpuSeconds(local) / figures.seconds >= LOADED * allowed) {
            return true;
        }
        Core hottest = hottest(local);
        // On one host a busy core may be the other end's.
        return !isOneHost() && hottest != null && hottest.busy() >= NEARLY;
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
        if (streams.stream().allMatch(Stream::hasTcp)) {
            addTcp(evidence);
        }
        evidence.add("receiver found a full block waiting in " + percent(mean(Stream::backlogShare)) + " of its looks");
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
        evidence.add(
                "senders with data under way " + percent(mean(Stream::busyShare)) + " of the time, held back by the"
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
