package io.fdt.cli.tune;

import io.fdt.cli.console.Console;
import io.fdt.cli.console.JsonLine;
import io.fdt.core.FailureKind;
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

/** {@code tune --json}: an object for every core, NIC, bond, finding, write; the last one sums up. */
final class TuneJson implements TuneView {
    private final Console console;

    TuneJson(Console console) {
        this.console = console;
    }

    private void line(String type, JsonLine.Body body) {
        console.data(JsonLine.of(type, body));
    }

    @Override
    public void show(Host host, TuneRequest request, List<Finding> findings) {
        line("host", line -> {
            line.text("name", host.name());
            line.text("kernel", host.kernel());
            line.text("cpu", host.cpu());
            line.number("cores", host.cores().size());
            line.number("nodes", host.nodes().size());
            line.number("irqbalance_pid", host.irqbalancePid());
            line.startObject("sysctls");
            for (Map.Entry<String, String> sysctl : host.sysctls().entrySet()) {
                line.text(sysctl.getKey(), sysctl.getValue().strip());
            }
            line.endObject();
        });
        host.cores().forEach(core -> line("core", line -> core(line, core)));
        host.nics().forEach(nic -> line("nic", line -> nic(line, nic)));
        host.bonds().forEach(bond -> line("bond", line -> bond(line, bond)));
        host.rdma().forEach(device -> line("rdma", line -> rdma(line, device)));
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
        line.text("driver", nic.driver());
        line.flag("up", nic.up());
        line.number("bits_per_second", nic.speedBitsPerSecond());
        line.number("mtu", nic.mtuBytes());
        line.numberIfKnown("node", nic.node());
        PciLink pci = nic.pci();
        if (pci != null) {
            line.startObject("pcie");
            line.text("address", pci.address());
            line.text("current", pci.label());
            line.text("possible", pci.maxLabel());
            line.fraction("practical_bits_per_second", pci.practicalBitsPerSecond(), 0);
            if (pci.readRequestBytes() > 0) {
                line.number("max_read_request_bytes", pci.readRequestBytes());
            }
            line.endObject();
        }
        NicSettings settings = nic.settings();
        if (settings != null) {
            line.startObject("settings");
            line.number("rx_ring", settings.rxRing());
            line.number("rx_ring_max", settings.rxRingMax());
            line.number("tx_ring", settings.txRing());
            line.number("tx_ring_max", settings.txRingMax());
            for (Map.Entry<String, Boolean> offload : settings.offloads().entrySet()) {
                line.flag(offload.getKey().replace('-', '_'), offload.getValue());
            }
            line.endObject();
        }
        queues(line, "rx_queues", "rps_cpus", nic.rxQueues());
        queues(line, "tx_queues", "xps_cpus", nic.txQueues());
        line.startObjects("interrupts");
        for (Interrupt interrupt : nic.interrupts()) {
            line.startObject();
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
            line.endObject();
        }
        line.endObjects();
        line.startObject("counters");
        for (Map.Entry<String, Long> counter : nic.counters().entrySet()) {
            line.number(counter.getKey(), counter.getValue());
        }
        line.endObject();
    }

    private static void queues(JsonLine line, String key, String maskKey, List<NicQueue> queues) throws IOException {
        line.startObjects(key);
        for (NicQueue queue : queues) {
            CoreMask cores = queue.cores();
            line.startObject();
            line.number("queue", queue.index());
            if (cores != null) {
                line.text(maskKey, cores.cores().toString());
            }
            if (queue.flows() >= 0) {
                line.number("rps_flow_cnt", queue.flows());
            }
            line.endObject();
        }
        line.endObjects();
    }

    private static void bond(JsonLine line, Bond bond) throws IOException {
        line.text("name", bond.name());
        line.text("mode", bond.mode());
        line.text("hash_policy", bond.hashPolicy());
        line.startObjects("slaves");
        for (Bond.Slave slave : bond.slaves()) {
            line.startObject();
            line.text("nic", slave.nic());
            line.flag("up", slave.up());
            line.numberIfKnown("link_failures", slave.linkFailures());
            line.numberIfKnown("rx_bytes", slave.rxBytes());
            line.numberIfKnown("tx_bytes", slave.txBytes());
            line.endObject();
        }
        line.endObjects();
    }

    private static void rdma(JsonLine line, RdmaDevice device) throws IOException {
        line.text("name", device.name());
        line.numberIfKnown("node", device.node());
        line.startObjects("ports");
        for (RdmaDevice.Port port : device.ports()) {
            line.startObject();
            line.number("port", port.number());
            line.text("state", port.state());
            line.text("link_layer", port.linkLayer());
            line.text("rate", port.rate());
            line.text("nic", port.nic());
            line.number("mtu", port.mtuBytes());
            for (Map.Entry<String, Long> counter : port.counters().entrySet()) {
                line.number(counter.getKey(), counter.getValue());
            }
            line.endObject();
        }
        line.endObjects();
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
