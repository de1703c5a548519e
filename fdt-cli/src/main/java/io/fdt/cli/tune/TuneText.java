package io.fdt.cli.tune;

import io.fdt.cli.console.Console;
import io.fdt.cli.value.UserText;
import io.fdt.core.basic.Figures;
import io.fdt.core.host.Bond;
import io.fdt.core.host.Core;
import io.fdt.core.host.CoreMask;
import io.fdt.core.host.CoreSet;
import io.fdt.core.host.Host;
import io.fdt.core.host.Interrupt;
import io.fdt.core.host.Nic;
import io.fdt.core.host.NicQueue;
import io.fdt.core.host.NicSettings;
import io.fdt.core.host.NumaNode;
import io.fdt.core.host.PciLink;
import io.fdt.core.host.RdmaDevice;
import io.fdt.core.host.tune.Finding;
import io.fdt.core.host.tune.TunePlan;
import io.fdt.core.host.tune.TuneRequest;
import io.fdt.core.host.tune.Tuning;
import io.fdt.core.host.tune.Tuning.Result;
import io.fdt.core.host.tune.Write;
import io.fdt.core.stats.CoreTimes;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Prints {@code tune} as text, with a table of the NICs and a diagram of cores and queues. */
record TuneText(Console console, boolean quiet) implements TuneView {
    private static final List<String> SHOWN_SYSCTLS = List.of(
            "net.ipv4.tcp_rmem",
            "net.ipv4.tcp_wmem",
            "net.core.rmem_max",
            "net.core.wmem_max",
            "net.core.netdev_max_backlog",
            "net.ipv4.tcp_congestion_control",
            "net.core.default_qdisc",
            "net.ipv4.tcp_mtu_probing");

    @Override
    public void show(Host host, TuneRequest request, List<Finding> findings) {
        List<String> lines = new ArrayList<>();
        host(lines, host);
        nics(lines, host);
        host.network().bonds().forEach(bond -> bond(lines, bond));
        host.network().rdma().forEach(device -> rdma(lines, device));
        request.nicsOf(host).forEach(nic -> picture(lines, host, nic));
        lines.add("");
        lines.add("Kernel");
        for (String sysctl : SHOWN_SYSCTLS) {
            String value = host.sysctls().get(sysctl);
            if (value != null) {
                lines.add("  " + UserText.padded(sysctl, 34) + value.strip().replace('\t', ' '));
            }
        }
        lines.add("");
        lines.add(findings.isEmpty() ? "No problems found on this host." : "Problems that reduce throughput");
        for (Finding finding : findings) {
            String mark = finding.severity() == Finding.Severity.WARNING ? "  ! " : "  - ";
            lines.add(mark + finding.subject() + ": " + finding.text());
            lines.add("      -> " + finding.remedy());
        }
        if (request.rttNanos() == 0) {
            lines.add("  (add --rtt to compare the TCP windows with the path)");
        }
        lines.forEach(line -> console.data(UserText.visible(line)));
    }

    private static void host(List<String> lines, Host host) {
        lines.add(host.name() + "  Linux " + host.machine().kernel() + "  "
                + host.machine().cpu());
        long threads = host.topology().cores().stream()
                .mapToInt(core -> core.siblings().size())
                .max()
                .orElse(1);
        lines.add("  " + Figures.count(host.topology().cores().size(), "core")
                + (threads > 1 ? " (" + threads + " threads a physical core)" : "") + ", irqbalance "
                + (host.processes().irqbalancePid() == 0 ? "does not run" : "runs"));
        for (NumaNode node : host.topology().nodes()) {
            Set<String> governors = new LinkedHashSet<>();
            Set<String> caches = new LinkedHashSet<>();
            for (int id : node.cores().toList()) {
                Core core = host.topology().core(id);
                if (core != null) {
                    governors.add(core.governor());
                    caches.add(core.sharesLastCache().toString());
                }
            }
            governors.remove("");
            lines.add("  node " + node.id() + ": cores " + node.cores()
                    + (caches.size() > 1 ? ", last caches of " + String.join(" | ", caches) : "")
                    + (governors.isEmpty() ? "" : ", governor " + String.join(", ", governors)));
        }
    }

    private static void nics(List<String> lines, Host host) {
        lines.add("");
        lines.add(row("NIC", "driver", "Gb/s", "MTU", "node", "queues", "ring", "PCIe", "possible", "MaxReadReq"));
        for (Nic nic : host.network().nics()) {
            PciLink pci = nic.device().pci();
            NicSettings settings = nic.device().settings();
            lines.add(row(
                    nic.name() + (nic.link().up() ? "" : " (down)"),
                    nic.device().driver().isEmpty() ? "-" : nic.device().driver(),
                    nic.link().bitsPerSecond() == 0
                            ? "-"
                            : Figures.text("%.4g", nic.link().bitsPerSecond() / 1e9)
                                    .replaceAll("\\.0+$", ""),
                    String.valueOf(nic.link().mtuBytes()),
                    nic.device().node() < 0 ? "-" : String.valueOf(nic.device().node()),
                    nic.queues().received().size() + "/" + nic.queues().sent().size(),
                    settings == null || settings.rings().rxMax() == 0
                            ? "-"
                            : settings.rings().rx() + "/" + settings.rings().rxMax(),
                    pci == null ? "-" : pci.label(),
                    pci == null ? "-" : pci.maxLabel(),
                    pci == null || pci.readRequestBytes() == 0 ? "-" : String.valueOf(pci.readRequestBytes())));
        }
        if (host.topology().nodes().size() > 1) {
            lines.add("  fdt nettest --pin nodes HOST compares lanes on the NIC's node with lanes on another");
        }
    }

    private static String row(String... cells) {
        int[] widths = {16, 12, 7, 7, 6, 8, 11, 10, 10, 0};
        StringBuilder row = new StringBuilder("  ");
        for (int i = 0; i < cells.length; i++) {
            row.append(UserText.padded(cells[i], widths[i]));
        }
        return row.toString().stripTrailing();
    }

    private static void bond(List<String> lines, Bond bond) {
        lines.add("");
        lines.add("  " + bond.name() + ": " + bond.mode()
                + (bond.hashPolicy().isEmpty() ? "" : ", " + bond.hashPolicy()));
        for (Bond.Slave slave : bond.slaves()) {
            lines.add("    " + UserText.padded(slave.nic(), 14) + UserText.padded(slave.up() ? "up" : "down", 6)
                    + "received " + Figures.bytes(slave.rxBytes()) + ", sent " + Figures.bytes(slave.txBytes())
                    + (slave.linkFailures() > 0 ? ", " + Figures.count(slave.linkFailures(), "link failure") : ""));
        }
    }

    private static void rdma(List<String> lines, RdmaDevice device) {
        lines.add("");
        for (RdmaDevice.Port port : device.ports()) {
            lines.add("  " + device.name() + " port " + port.number() + ": " + port.state() + ", " + port.linkLayer()
                    + ", "
                    + port.rate() + (port.mtuBytes() > 0 ? ", MTU " + port.mtuBytes() : "")
                    + (port.nic().isEmpty() ? "" : ", beside " + port.nic()));
            for (Map.Entry<String, Long> counter : port.counters().entrySet()) {
                lines.add("    " + UserText.padded(counter.getKey(), 28) + counter.getValue());
            }
        }
    }

    /**
     * Adds a row for each core that is near the NIC or takes its interrupts, and a column for each queue, with a mark
     * where a core handles a queue.
     */
    private static void picture(List<String> lines, Host host, Nic nic) {
        List<Interrupt> interrupts = nic.queues().queueInterrupts();
        lines.add("");
        if (interrupts.isEmpty()) {
            lines.add("  " + nic.name() + " has no interrupts of its own" + masks(nic));
            return;
        }
        lines.add("  " + nic.name()
                + ": cores by queues (#: takes most of the interrupts, +: took some, .: may take them)" + masks(nic));
        StringBuilder head = new StringBuilder("    core node softirq  ");
        for (Interrupt interrupt : interrupts) {
            String label = interrupt.serves() == Interrupt.Serves.TX
                    ? "t" + interrupt.queue()
                    : String.valueOf(interrupt.queue());
            head.append(UserText.padded(label, 3));
        }
        lines.add(head.toString().stripTrailing());
        CoreSet shown = host.topology().near(nic);
        for (Interrupt interrupt : interrupts) {
            shown = shown.or(CoreSet.of(Math.max(0, interrupt.core())));
        }
        for (int id : shown.and(host.topology().online()).toList()) {
            Core core = host.topology().core(id);
            int node = core == null ? 0 : core.node();
            StringBuilder row = new StringBuilder(Figures.text("    %4d %4d %6s   ", id, node, softirq(host, id)));
            for (Interrupt interrupt : interrupts) {
                row.append(UserText.padded(mark(interrupt, id), 3));
            }
            lines.add(row.toString().stripTrailing());
        }
    }

    private static String mark(Interrupt interrupt, int core) {
        if (interrupt.core() == core) {
            return "#";
        }
        CoreMask affinity = interrupt.affinity();
        if (interrupt.counts().containsKey(core)) {
            return "+";
        }
        return affinity != null && affinity.cores().contains(core) ? "." : " ";
    }

    private static String softirq(Host host, int core) {
        for (CoreTimes times : host.load()) {
            if (times.core() == core) {
                return Figures.text("%.0f %%", 100 * times.share(times.softirqMs()));
            }
        }
        return "-";
    }

    /** Returns how many queues have RPS and XPS set. */
    private static String masks(Nic nic) {
        return "; RPS " + set(nic.queues().received()) + ", XPS "
                + set(nic.queues().sent());
    }

    private static String set(List<NicQueue> queues) {
        long set = 0;
        for (NicQueue queue : queues) {
            CoreMask cores = queue.cores();
            set += cores != null && !cores.cores().isEmpty() ? 1 : 0;
        }
        return set == 0 ? "off" : "on for " + set + " of " + queues.size();
    }

    @Override
    public void plan(TunePlan plan) {
        if (plan.irqbalancePid() != 0) {
            console.data("stop irqbalance (process " + plan.irqbalancePid() + "), which would move the"
                    + " interrupts again");
        }
        for (Write write : plan.writes()) {
            console.data(
                    UserText.visible("/" + write.path() + ": " + shown(write.before()) + " → " + shown(write.value())));
            console.data(UserText.visible("    " + write.reason()));
        }
        if (!plan.lanes().isEmpty()) {
            List<String> cores = plan.lanes().stream()
                    .map(lane -> String.valueOf(lane.core()))
                    .distinct()
                    .toList();
            console.data("lanes belong on " + (cores.size() == 1 ? "core " : "cores ") + String.join(",", cores));
        }
        if (plan.isEmpty()) {
            message("nothing to do: the host is already set as planned");
        } else {
            message(Figures.count(plan.writes().size(), "write")
                    + " planned, nothing changed; run fdt tune apply to make them");
        }
        plan.notes().forEach(note -> message("note: " + note));
    }

    private static String shown(String value) {
        String line = value.strip().replaceAll("\\s+", " ");
        return line.isEmpty() ? "(empty)" : line;
    }

    @Override
    public int applied(Tuning.Report report, List<String> notes) {
        int exitCode = done(
                report,
                "applied",
                "nothing to do: the host is already set as planned",
                "irqbalance stays stopped until fdt tune undo");
        notes.forEach(note -> message("note: " + note));
        return exitCode;
    }

    @Override
    public int undone(Tuning.Report report) {
        return done(report, "restored", "nothing to undo: fdt tune applied nothing", "irqbalance runs again");
    }

    private int done(Tuning.Report report, String verb, String nothing, String balanced) {
        for (Tuning.WriteOutcome outcome : report.outcomes()) {
            String value = "/" + outcome.path() + ": " + shown(outcome.value());
            switch (outcome.result()) {
                case WRITTEN ->
                    console.data(
                            UserText.visible(value + (outcome.note().isEmpty() ? "" : " (" + outcome.note() + ")")));
                case UNCHANGED -> {}
                case LEFT ->
                    console.message(UserText.visible("fdt: not changed: /" + outcome.path() + ": " + outcome.note()));
                case FAILED ->
                    console.message(UserText.visible("fdt: failed: /" + outcome.path() + ": " + outcome.note()));
            }
        }
        if (report.outcomes().isEmpty() && report.balancer().isEmpty()) {
            message(nothing);
            return 0;
        }
        if (!report.balancer().isEmpty()) {
            message(balanced);
        }
        long failed = report.count(Result.FAILED);
        message(Figures.count(report.count(Result.WRITTEN), "value") + " " + verb + " and read back"
                + (failed == 0 ? "" : ", " + failed + " failed; run fdt tune undo to restore what was written"));
        return TuneJson.exitCode(report);
    }

    private void message(String text) {
        if (!quiet) {
            console.message("fdt: " + text);
        }
    }
}
