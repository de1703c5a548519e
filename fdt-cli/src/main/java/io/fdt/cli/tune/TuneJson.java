package io.fdt.cli.tune;

import io.fdt.cli.console.Console;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Word;
import io.fdt.core.failure.FailureKind;
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
import java.util.List;
import java.util.Map;

/**
 * Prints {@code tune --json}: one object for every core, NIC, bond, finding and write; the last object is a summary.
 */
record TuneJson(Console console) implements TuneView {
    @Override
    public void show(Host host, TuneRequest request, List<Finding> findings) {
        JsonObject sysctls = new JsonObject();
        host.sysctls().forEach((name, value) -> sysctls.with(name, value.strip()));
        console.data(new JsonObject()
                .with("name", host.name())
                .with("kernel", host.machine().kernel())
                .with("cpu", host.machine().cpu())
                .with("cores", host.topology().cores().size())
                .with("nodes", host.topology().nodes().size())
                .with("irqbalance_pid", host.processes().irqbalancePid())
                .with("sysctls", sysctls)
                .line("host"));
        host.topology().cores().forEach(core -> console.data(core(core).line("core")));
        host.network().nics().forEach(nic -> console.data(nic(nic).line("nic")));
        host.network().bonds().forEach(bond -> console.data(bond(bond).line("bond")));
        host.network().rdma().forEach(device -> console.data(rdma(device).line("rdma")));
        findings.forEach(finding -> console.data(new JsonObject()
                .with("severity", Word.of(finding.severity()))
                .with("code", finding.code())
                .with("subject", finding.subject())
                .with("message", finding.text())
                .with("remedy", finding.remedy())
                .line("finding")));
        console.data(new JsonObject()
                .with("warnings", count(findings, Finding.Severity.WARNING))
                .with("notes", count(findings, Finding.Severity.NOTE))
                .with("exit_code", 0)
                .line("summary"));
    }

    private static long count(List<Finding> findings, Finding.Severity severity) {
        return findings.stream().filter(one -> one.severity() == severity).count();
    }

    private static JsonObject core(Core core) {
        return new JsonObject()
                .with("core", core.id())
                .with("node", core.node())
                .withKnown("socket", core.socket())
                .with("siblings", core.siblings().toString())
                .with("shares_last_cache", core.sharesLastCache().toString())
                .with("governor", core.governor());
    }

    private static JsonObject nic(Nic nic) {
        JsonObject object = new JsonObject()
                .with("name", nic.name())
                .with("driver", nic.device().driver())
                .with("up", nic.link().up())
                .with("bits_per_second", nic.link().bitsPerSecond())
                .with("mtu", nic.link().mtuBytes())
                .withKnown("node", nic.device().node());
        PciLink pci = nic.device().pci();
        if (pci != null) {
            object.with("pcie", slot(pci));
        }
        NicSettings settings = nic.device().settings();
        if (settings != null) {
            JsonObject driver = new JsonObject()
                    .with("rx_ring", settings.rings().rx())
                    .with("rx_ring_max", settings.rings().rxMax())
                    .with("tx_ring", settings.rings().tx())
                    .with("tx_ring_max", settings.rings().txMax());
            settings.offloads().forEach((name, on) -> driver.with(name.replace('-', '_'), on));
            settings.packetBytes().forEach(driver::with);
            object.with("settings", driver);
        }
        return object.with("rx_queues", queues("rps_cpus", nic.queues().received()))
                .with("tx_queues", queues("xps_cpus", nic.queues().sent()))
                .with("interrupts", JsonObject.list(nic.queues().interrupts(), TuneJson::interrupt))
                .with("counters", counters(nic.counters()));
    }

    private static JsonObject slot(PciLink pci) {
        JsonObject slot = new JsonObject()
                .with("address", pci.address())
                .with("current", pci.label())
                .with("possible", pci.maxLabel())
                .with("practical_bits_per_second", pci.practicalBitsPerSecond(), 0);
        return pci.readRequestBytes() > 0 ? slot.with("max_read_request_bytes", pci.readRequestBytes()) : slot;
    }

    private static JsonObject interrupt(Interrupt interrupt) {
        JsonObject object = new JsonObject()
                .with("number", interrupt.number())
                .with("name", interrupt.name())
                .with("serves", Word.of(interrupt.serves()))
                .withKnown("queue", interrupt.queue())
                .withKnown("core", interrupt.core());
        CoreMask affinity = interrupt.affinity();
        if (affinity != null) {
            object.with("affinity", affinity.cores().toString());
        }
        return object.with("count", interrupt.total());
    }

    private static JsonObject counters(Map<String, Long> counters) {
        JsonObject object = new JsonObject();
        counters.forEach(object::with);
        return object;
    }

    private static List<JsonObject> queues(String maskKey, List<NicQueue> queues) {
        return JsonObject.list(queues, queue -> {
            CoreMask cores = queue.cores();
            JsonObject object = new JsonObject().with("queue", queue.index());
            if (cores != null) {
                object.with(maskKey, cores.cores().toString());
            }
            return queue.flows() < 0 ? object : object.with("rps_flow_cnt", queue.flows());
        });
    }

    private static JsonObject bond(Bond bond) {
        return new JsonObject()
                .with("name", bond.name())
                .with("mode", bond.mode())
                .with("hash_policy", bond.hashPolicy())
                .with(
                        "slaves",
                        JsonObject.list(
                                bond.slaves(),
                                slave -> new JsonObject()
                                        .with("nic", slave.nic())
                                        .with("up", slave.up())
                                        .withKnown("link_failures", slave.linkFailures())
                                        .withKnown("rx_bytes", slave.rxBytes())
                                        .withKnown("tx_bytes", slave.txBytes())));
    }

    private static JsonObject rdma(RdmaDevice device) {
        return new JsonObject()
                .with("name", device.name())
                .withKnown("node", device.node())
                .with(
                        "ports",
                        JsonObject.list(
                                device.ports(),
                                port -> new JsonObject()
                                        .with("port", port.number())
                                        .with("state", port.state())
                                        .with("link_layer", port.linkLayer())
                                        .with("rate", port.rate())
                                        .with("nic", port.nic())
                                        .with("mtu", port.mtuBytes())
                                        .with(counters(port.counters()))));
    }

    @Override
    public void plan(TunePlan plan) {
        for (Write write : plan.writes()) {
            console.data(new JsonObject()
                    .with("path", "/" + write.path())
                    .with("old", write.before().strip())
                    .with("new", write.value().strip())
                    .with("reason", write.reason())
                    .line("write"));
        }
        for (TunePlan.LanePlace lane : plan.lanes()) {
            console.data(new JsonObject()
                    .with("lane", lane.lane())
                    .with("core", lane.core())
                    .withKnown("node", lane.node())
                    .line("lane"));
        }
        console.data(new JsonObject()
                .with("writes", plan.writes().size())
                .with("irqbalance_pid", plan.irqbalancePid())
                .with("notes", plan.notes())
                .with("exit_code", 0)
                .line("summary"));
    }

    @Override
    public int applied(Tuning.Report report, List<String> notes) {
        return done(report, notes);
    }

    @Override
    public int undone(Tuning.Report report) {
        return done(report, List.of());
    }

    private int done(Tuning.Report report, List<String> notes) {
        for (Tuning.WriteOutcome outcome : report.outcomes()) {
            console.data(new JsonObject()
                    .with("path", "/" + outcome.path())
                    .with("result", Word.of(outcome.result()))
                    .with("value", outcome.value().strip())
                    .with("message", outcome.note())
                    .line("result"));
        }
        int exitCode = exitCode(report);
        JsonObject summary = new JsonObject();
        for (Result result : Result.values()) {
            summary.with(Word.of(result), report.count(result));
        }
        console.data(summary.with("irqbalance", report.balancer())
                .with("notes", notes)
                .with("exit_code", exitCode)
                .line("summary"));
        return exitCode;
    }

    static int exitCode(Tuning.Report report) {
        return report.count(Result.FAILED) == 0 ? 0 : FailureKind.TARGET.exitCode();
    }
}
