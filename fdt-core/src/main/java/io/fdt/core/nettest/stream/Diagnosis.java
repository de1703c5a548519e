package io.fdt.core.nettest.stream;

import static io.fdt.core.basic.Figures.text;
import static io.fdt.core.nettest.SuiteText.percent;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.stats.HostFacts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Determines the bottleneck of a throughput test from its figures alone, for the direction that carried more. The order
 * of the checks matters: a full NIC or slot explains everything; what the sender's TCP reports comes before the load of
 * the cores, because busy cores may be busy waiting; and loss comes before the congestion window that it causes.
 */
final class Diagnosis {
    /** CPU time is counted in steps, and some of the kernel's work for a process is not attributed to it. */
    private static final double LOADED = 0.85;

    private static final double BACKLOG = 0.3;
    private static final double MOSTLY = 0.5;
    private static final double ALWAYS = 0.8;

    private final Circumstances about;
    private final List<JsonObject> cores;
    private final boolean out;
    private final List<JsonObject> streams;
    private final double bitsPerSecond;

    private Diagnosis(Circumstances about, List<JsonObject> streams, List<JsonObject> cores) {
        this.about = about;
        this.cores = cores;
        this.out = bits(streams, "out") >= bits(streams, "in");
        String direction = out ? "out" : "in";
        this.streams = streams.stream()
                .filter(stream -> stream.text("direction").equals(direction))
                .toList();
        this.bitsPerSecond = bits(streams, direction);
    }

    /** The circumstances contain the CPU seconds of both processes over the time of the streams and cores. */
    static JsonObject of(Circumstances about, List<JsonObject> streams, List<JsonObject> cores) {
        if (about.seconds() <= 0 || streams.stream().allMatch(stream -> stream.count("bytes") == 0)) {
            return ThroughputSums.verdict(
                    Limit.UNKNOWN.word(), "No data was moved, so the test found no bottleneck.", List.of());
        }
        return new Diagnosis(about, streams, cores).verdict();
    }

    private JsonObject verdict() {
        double nic = nicBitsPerSecond();
        if (nic > 0 && bitsPerSecond >= Limit.NEARLY * nic) {
            return withEvidence(
                    Limit.NIC, "The NIC is full: " + percent(bitsPerSecond / nic) + " of its " + gigabits(nic) + ".");
        }
        HostFacts narrow = narrowSlot();
        if (narrow != null && bitsPerSecond >= Limit.NEARLY * narrow.nic().slotBitsPerSecond()) {
            return withEvidence(
                    Limit.PCIE,
                    "The PCIe slot of " + narrow.nic().name()
                            + (narrow.equals(about.local().host()) ? " here" : " of the server")
                            + " is full; it carries less than its NIC: "
                            + narrow.nic().slot() + ".");
        }
        double window = mean("receiver_limited");
        double backlog = mean("backlog");
        if (window >= Limit.HELD_BACK && backlog < BACKLOG) {
            return withEvidence(
                    Limit.WINDOW,
                    "The receive window is too small for the round-trip time: senders waited for it "
                            + percent(window) + " of the time although the receiver had read everything. Use larger"
                            + " socket buffers or more streams.");
        }
        if (window >= Limit.HELD_BACK && isBusy(!out)) {
            return cpu(false, !out);
        }
        if (window >= Limit.HELD_BACK) {
            return withEvidence(
                    Limit.PEER,
                    "The receiving program reads data more slowly than it arrives, although its CPUs are not"
                            + " busy: its window was shut " + percent(window) + " of the time.");
        }
        double buffer = mean("buffer_limited");
        if (buffer >= Limit.HELD_BACK) {
            return withEvidence(
                    Limit.SEND_BUFFER,
                    "The send buffers are too small for the round-trip time: they limited the senders "
                            + percent(buffer) + " of the time. Use a larger --socket-buffer or more streams.");
        }
        if (lossRatio() >= Limit.LOSSY) {
            return withEvidence(
                    Limit.LOSS,
                    "The path loses packets: " + retransmits() + " were retransmitted, "
                            + text("%.2f %%", 100 * lossRatio()) + " of all.");
        }
        if (isBusy(out) || isBusy(!out) || isHostBusy()) {
            boolean sender = isBusy(out) == isBusy(!out) ? usedShare(out) >= usedShare(!out) : isBusy(out);
            return cpu(sender, sender == out);
        }
        if (mean("busy") >= ALWAYS) {
            return withEvidence(
                    Limit.PATH,
                    "The network between the hosts is the bottleneck: data was always in flight, no window or"
                            + " buffer limited it, and the CPUs of both ends are not busy.");
        }
        return withEvidence(Limit.UNKNOWN, "There is no single bottleneck.");
    }

    /** The side's CPUs are the limit. */
    private JsonObject cpu(boolean sender, boolean local) {
        String role = sender ? "sender" : "receiver";
        JsonObject hottest = hottest(local);
        if (hottest != null && busy(hottest) >= Limit.NEARLY && hottest.amount("softirq") >= MOSTLY * busy(hottest)) {
            return withEvidence(
                    sender ? Limit.SENDER_SOFTIRQ : Limit.RECEIVER_SOFTIRQ,
                    "Core " + hottest.count("core") + " of the " + role + " is saturated by packet processing (softirq "
                            + percent(hottest.amount("softirq"))
                            + "). Spread the NIC's queues over more cores.");
        }
        String shared = isOneHost() ? " (on the same machine as the other end)" : "";
        double own = ownCores(local);
        double foreign = foreignCores(local);
        if (foreign > own) {
            return withEvidence(
                    sender ? Limit.SENDER_FOREIGN_LOAD : Limit.RECEIVER_FOREIGN_LOAD,
                    "Other programs use the CPU of the " + role + shared
                            + text(
                                    ": they used %.1f cores, and the test %.1f of %d. Stop them, or test again when"
                                            + " they have ended.",
                                    foreign, own, facts(local).cpu().allowedCores()));
        }
        return withEvidence(
                sender ? Limit.SENDER_CPU : Limit.RECEIVER_CPU,
                "The CPU of the " + role + shared + " is the bottleneck: its process used "
                        + text("%.1f", cpuSeconds(local) / about.seconds()) + " of "
                        + facts(local).cpu().allowedCores() + " cores"
                        + (usedShare(local) < LOADED && hasNoCoreLeft(local)
                                ? text(", other programs %.1f", foreign)
                                : "")
                        + (hottest == null ? "." : ", and its busiest core was busy " + percent(busy(hottest)) + "."));
    }

    private boolean isBusy(boolean local) {
        if (usedShare(local) >= LOADED || hasNoCoreLeft(local)) {
            return true;
        }
        JsonObject hottest = hottest(local);
        // If both ends share a host, a busy core may be that of the other end.
        return !isOneHost() && hottest != null && busy(hottest) >= Limit.NEARLY;
    }

    /** The process's share of the cores that it may use. */
    private double usedShare(boolean local) {
        return cpuSeconds(local)
                / about.seconds()
                / Math.max(1, facts(local).cpu().allowedCores());
    }

    /** The cores that the test itself used, of those in {@link #foreignCores}. */
    private double ownCores(boolean local) {
        boolean both = isOneHost() && !isPinned(local);
        return (cpuSeconds(local) + (both ? cpuSeconds(!local) : 0)) / about.seconds();
    }

    /** The cores that other programs used: of the host, or of those on which the side's lanes may run. */
    private double foreignCores(boolean local) {
        Set<Long> used = laneCores(local);
        boolean pinned = isPinned(local);
        double busy = coresOf(local)
                .filter(core -> !pinned || used.contains(core.count("core")))
                .mapToDouble(core -> busy(core) - core.amount("softirq"))
                .sum();
        return Math.max(0, busy - ownCores(local));
    }

    private boolean isPinned(boolean local) {
        return facts(local).cpu().allowedCores() < coresOf(local).count();
    }

    private Set<Long> laneCores(boolean local) {
        return streams.stream()
                .map(stream -> stream.count(local == out ? "sender_core" : "core"))
                .collect(Collectors.toSet());
    }

    /** The side's lanes run on all cores that its process may use, and all of these are busy, whatever uses them. */
    private boolean hasNoCoreLeft(boolean local) {
        Set<Long> used = laneCores(local);
        long full = coresOf(local)
                .filter(core -> used.contains(core.count("core")) && busy(core) >= LOADED)
                .count();
        return full > 0 && full >= facts(local).cpu().allowedCores();
    }

    /** Both ends share the cores, and none is free. */
    private boolean isHostBusy() {
        return isOneHost()
                && coresOf(true).mapToDouble(Diagnosis::busy).average().orElse(0) >= LOADED;
    }

    private Stream<JsonObject> coresOf(boolean local) {
        return cores.stream().filter(core -> core.text("side").equals(local ? "local" : "remote"));
    }

    private static double busy(JsonObject core) {
        return 1 - core.amount("idle");
    }

    private boolean isOneHost() {
        return about.local().host().host().equals(about.remote().host().host())
                && about.local().host().kernel().equals(about.remote().host().kernel());
    }

    private @Nullable JsonObject hottest(boolean local) {
        return coresOf(local).max(Comparator.comparingDouble(Diagnosis::busy)).orElse(null);
    }

    private HostFacts facts(boolean local) {
        return local ? about.local().host() : about.remote().host();
    }

    private double cpuSeconds(boolean local) {
        return local ? about.local().cpuSeconds() : about.remote().cpuSeconds();
    }

    /** The speed of the slower NIC; 0 if neither is known. */
    private double nicBitsPerSecond() {
        long here = about.local().host().nic().bitsPerSecond();
        long there = about.remote().host().nic().bitsPerSecond();
        return here == 0 ? there : there == 0 ? here : Math.min(here, there);
    }

    /** The side whose slot carries less than its NIC and less than the other side's slot; null if there is none. */
    private @Nullable HostFacts narrowSlot() {
        return List.of(about.local().host(), about.remote().host()).stream()
                .filter(facts -> facts.nic().slotBitsPerSecond() > 0)
                .filter(facts -> facts.nic().bitsPerSecond() == 0
                        || facts.nic().slotBitsPerSecond() < facts.nic().bitsPerSecond())
                .min(Comparator.comparingLong(hostFacts -> hostFacts.nic().slotBitsPerSecond()))
                .orElse(null);
    }

    private long retransmits() {
        return streams.stream().mapToLong(stream -> stream.count("retransmits")).sum();
    }

    /** Lanes without TCP lose nothing. */
    private double lossRatio() {
        return ThroughputSums.lossRatio(streams);
    }

    private double mean(String figure) {
        return streams.stream()
                .mapToDouble(stream -> stream.amount(figure))
                .average()
                .orElse(0);
    }

    private static double bits(List<JsonObject> streams, String direction) {
        return streams.stream()
                .filter(stream -> stream.text("direction").equals(direction))
                .mapToDouble(stream -> stream.amount("bits_per_second"))
                .sum();
    }

    private JsonObject withEvidence(Limit limit, String sentence) {
        List<String> evidence = new ArrayList<>();
        evidence.add("rate " + gigabits(bitsPerSecond) + " over " + streams.size() + " streams "
                + (out ? "from here to the server" : "from the server to here"));
        if (nicBitsPerSecond() > 0) {
            evidence.add("NIC speed " + gigabits(nicBitsPerSecond()));
        }
        for (HostFacts facts : List.of(about.local().host(), about.remote().host())) {
            if (facts.nic().slotBitsPerSecond() > 0) {
                evidence.add("PCIe slot of " + facts.host() + ": " + facts.nic().slot());
            }
        }
        if (streams.stream().allMatch(stream -> stream.has("retransmits"))) {
            addTcp(evidence);
        }
        evidence.add("receiver found a full block waiting in " + percent(mean("backlog")) + " of its polls");
        for (boolean local : new boolean[] {true, false}) {
            JsonObject hottest = hottest(local);
            String side = local ? "here" : "server";
            evidence.add(side + ": " + text("%.1f", cpuSeconds(local) / about.seconds()) + " of "
                    + facts(local).cpu().allowedCores() + " cores used"
                    + (hottest == null
                            ? ""
                            : ", core " + hottest.count("core") + " busiest: user " + percent(hottest.amount("user"))
                                    + ", system " + percent(hottest.amount("system")) + ", softirq "
                                    + percent(hottest.amount("softirq"))));
        }
        return ThroughputSums.verdict(limit.word(), sentence, evidence);
    }

    private void addTcp(List<String> evidence) {
        evidence.add("senders with data in flight " + percent(mean("busy")) + " of the time, limited by the"
                + " receiver's window " + percent(mean("receiver_limited")) + ", by the send buffer "
                + percent(mean("buffer_limited")));
        evidence.add("round-trip time " + Math.round(mean("rtt_us")) + " us, congestion window "
                + Math.round(mean("cwnd_bytes") / 1024) + " KiB, receiver's window "
                + Math.round(mean("window_bytes") / 1024) + " KiB a stream");
        evidence.add(retransmits() + " retransmits");
    }

    private static String gigabits(double bitsPerSecond) {
        return text("%.2f Gbit/s", bitsPerSecond / 1e9);
    }
}
