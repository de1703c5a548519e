package io.fdt.cli.tune;

import io.fdt.cli.console.Console;
import io.fdt.core.FailureKind;
import io.fdt.core.JsonLine;
import io.fdt.core.Word;
import io.fdt.core.host.Bond;
import io.fdt.core.host.Core;
import io.fdt.core.host.CoreMask;
import io.fdt.core.host.Host;
import io.fdt.core.host.Interrupt;
import io.fdt.core.host.Nic;
import io.fdt.core.host.NicQueue;
import io.fdt.core.host.NicSettings;
import io.fdt.core.host.PciLink;
import io.fdt.core.host.RdmaDevice;
import io.fdt.core.host.tune.Finding;
import io.fdt.core.host.tune.TunePlan;
import io.fdt.core.host.tune.TuneRequest;
import io.fdt.core.host.tune.Tuning;
import io.fdt.core.host.tune.Tuning.Result;
import io.fdt.core.host.tune.Write;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * Prints {@code tune --json}: one object for every core, NIC, bond, finding and write; the last object is a summary.
 */
record TuneJson(Console console) implements TuneView {
    private void line(String type, JsonLine.Body body) {
        console.data(JsonLine.of(type, body));
    }

    @Override
    public void show(Host host, TuneRequest request, List<Finding> findings) {
        line("host", line -> {
            line.text("name", host.name());
            line.text("kernel", host.machine().kernel());
            line.text("cpu", host.machine().cpu());
            line.number("cores", host.topology().cores().size());
            line.number("nodes", host.topology().nodes().size());
            line.number("irqbalance_pid", host.processes().irqbalancePid());
            line.object("sysctls", all -> {
                for (Map.Entry<String, String> sysctl : host.sysctls().entrySet()) {
                    all.text(sysctl.getKey(), sysctl.getValue().strip());
                }
            });
        });
        host.topology().cores().forEach(core -> line("core", line -> core(line, core)));
        host.network().nics().forEach(nic -> line("nic", line -> nic(line, nic)));
        host.network().bonds().forEach(bond -> line("bond", line -> bond(line, bond)));
        host.network().rdma().forEach(device -> line("rdma", line -> rdma(line, device)));
        findings.forEach(finding -> line("finding", line -> {
            line.text("severity", Word.of(finding.severity()));
            line.text("code", finding.code());
            line.text("subject", finding.subject());
            line.text("message", finding.text());
            line.text("remedy", finding.remedy());
        }));
        line("summary", line -> {
            line.number(
                    "warnings",
                    findings.stream()
                            .filter(one -> one.severity() == Finding.Severity.WARNING)
                            .count());
            line.number(
                    "notes",
                    findings.stream()
                            .filter(one -> one.severity() == Finding.Severity.NOTE)
                            .count());
            line.number("exit_code", 0);
        });
    }

    private static void core(JsonLine line, Core core) throws IOException {
        line.number("core", core.id());
        line.number("node", core.node());
        line.numberIfKnown("socket", core.socket());
        line.text("siblings", core.siblings().toString());
        line.text("shares_last_cache", core.sharesLastCache().toString());
        line.text("governor", core.governor());
    }

    private static void nic(JsonLine line, Nic nic) throws IOException {
        line.text("name", nic.name());
        line.text("driver", nic.device().driver());
        line.flag("up", nic.link().up());
        line.number("bits_per_second", nic.link().bitsPerSecond());
        line.number("mtu", nic.link().mtuBytes());
        line.numberIfKnown("node", nic.device().node());
        PciLink pci = nic.device().pci();
        if (pci != null) {
            line.object("pcie", slot -> {
                slot.text("address", pci.address());
                slot.text("current", pci.label());
                slot.text("possible", pci.maxLabel());
                slot.fraction("practical_bits_per_second", pci.practicalBitsPerSecond(), 0);
                if (pci.readRequestBytes() > 0) {
                    slot.number("max_read_request_bytes", pci.readRequestBytes());
                }
            });
        }
        NicSettings settings = nic.device().settings();
        if (settings != null) {
            line.object("settings", driver -> {
                driver.number("rx_ring", settings.rxRing());
                driver.number("rx_ring_max", settings.rxRingMax());
                driver.number("tx_ring", settings.txRing());
                driver.number("tx_ring_max", settings.txRingMax());
                for (Map.Entry<String, Boolean> offload : settings.offloads().entrySet()) {
                    driver.flag(offload.getKey().replace('-', '_'), offload.getValue());
                }
            });
        }
        queues(line, "rx_queues", "rps_cpus", nic.queues().received());
        queues(line, "tx_queues", "xps_cpus", nic.queues().sent());
        line.objects("interrupts", nic.queues().interrupts(), TuneJson::interrupt);
        line.object("counters", all -> counters(all, nic.counters()));
    }

    private static void interrupt(JsonLine line, Interrupt interrupt) throws IOException {
        line.number("number", interrupt.number());
        line.text("name", interrupt.name());
        line.text("serves", Word.of(interrupt.serves()));
        line.numberIfKnown("queue", interrupt.queue());
        line.numberIfKnown("core", interrupt.core());
        CoreMask affinity = interrupt.affinity();
        if (affinity != null) {
            line.text("affinity", affinity.cores().toString());
        }
        line.number("count", interrupt.total());
    }

    private static void counters(JsonLine line, Map<String, Long> counters) throws IOException {
        for (Map.Entry<String, Long> counter : counters.entrySet()) {
            line.number(counter.getKey(), counter.getValue());
        }
    }

    private static void queues(JsonLine line, String key, String maskKey, List<NicQueue> queues) throws IOException {
        line.objects(key, queues, (one, queue) -> {
            CoreMask cores = queue.cores();
            one.number("queue", queue.index());
            if (cores != null) {
                one.text(maskKey, cores.cores().toString());
            }
            if (queue.flows() >= 0) {
                one.number("rps_flow_cnt", queue.flows());
            }
        });
    }

    private static void bond(JsonLine line, Bond bond) throws IOException {
        line.text("name", bond.name());
        line.text("mode", bond.mode());
        line.text("hash_policy", bond.hashPolicy());
        line.objects("slaves", bond.slaves(), (one, slave) -> {
            one.text("nic", slave.nic());
            one.flag("up", slave.up());
            one.numberIfKnown("link_failures", slave.linkFailures());
            one.numberIfKnown("rx_bytes", slave.rxBytes());
            one.numberIfKnown("tx_bytes", slave.txBytes());
        });
    }

    private static void rdma(JsonLine line, RdmaDevice device) throws IOException {
        line.text("name", device.name());
        line.numberIfKnown("node", device.node());
        line.objects("ports", device.ports(), (one, port) -> {
            one.number("port", port.number());
            one.text("state", port.state());
            one.text("link_layer", port.linkLayer());
            one.text("rate", port.rate());
            one.text("nic", port.nic());
            one.number("mtu", port.mtuBytes());
            counters(one, port.counters());
        });
    }

    @Override
    public void plan(TunePlan plan) {
        for (Write write : plan.writes()) {
            line("write", line -> {
                line.text("path", "/" + write.path());
                line.text("old", write.before().strip());
                line.text("new", write.value().strip());
                line.text("reason", write.reason());
            });
        }
        for (TunePlan.LanePlace lane : plan.lanes()) {
            line("lane", line -> {
                line.number("lane", lane.lane());
                line.number("core", lane.core());
                line.numberIfKnown("node", lane.node());
            });
        }
        line("summary", line -> {
            line.number("writes", plan.writes().size());
            line.number("irqbalance_pid", plan.irqbalancePid());
            line.texts("notes", plan.notes());
            line.number("exit_code", 0);
        });
    }

    @Override
    public int applied(Tuning.Report report) {
        return done(report);
    }

    @Override
    public int undone(Tuning.Report report) {
        return done(report);
    }

    private int done(Tuning.Report report) {
        for (Tuning.Outcome outcome : report.outcomes()) {
            line("result", line -> {
                line.text("path", "/" + outcome.path());
                line.text("result", Word.of(outcome.result()));
                line.text("value", outcome.value().strip());
                line.text("message", outcome.note());
            });
        }
        int exitCode = exitCode(report);
        line("summary", line -> {
            for (Result result : Result.values()) {
                line.number(Word.of(result), report.count(result));
            }
            line.text("irqbalance", report.balancer());
            line.number("exit_code", exitCode);
        });
        return exitCode;
    }

    static int exitCode(Tuning.Report report) {
        return report.count(Result.FAILED) == 0 ? 0 : FailureKind.TARGET.exitCode();
    }
}
