package io.fdt.monitor;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.host.Host;
import io.fdt.core.host.Nic;
import io.fdt.core.host.PciLink;
import org.jspecify.annotations.Nullable;

/** The facts about a host that do not change from second to second, as JSON. */
final class HostFacts {
    private HostFacts() {}

    /** @param irqTimeAccounting null if the kernel does not show it */
    static byte[] of(Host host, String role, String version, @Nullable Boolean irqTimeAccounting) {
        return new JsonObject()
                .with("host", host.name())
                .with("role", role)
                .with("version", version)
                .with("kernel", host.machine().kernel())
                .with("cpu", host.machine().cpu())
                .with("irq_time_accounting", irqTimeAccounting)
                .with(
                        "cores",
                        JsonObject.list(
                                host.topology().cores(),
                                core -> new JsonObject()
                                        .with("core", core.id())
                                        .with("node", core.node())
                                        .withKnown("socket", core.socket())))
                .with("nics", JsonObject.list(host.network().nics(), HostFacts::json))
                .bytes();
    }

    private static JsonObject json(Nic nic) {
        PciLink pci = nic.device().pci();
        long speed = nic.link().bitsPerSecond();
        return new JsonObject()
                .with("nic", nic.name())
                .with("driver", nic.device().driver())
                .with("up", nic.link().up())
                .withKnown("speed_bits", speed > 0 ? speed : -1)
                .with("mtu", nic.link().mtuBytes())
                .withKnown("node", nic.device().node())
                .with("pci", pci == null ? null : pci.label())
                .with(
                        "queues",
                        JsonObject.list(
                                nic.queues().queueInterrupts(),
                                interrupt -> new JsonObject()
                                        .with("queue", HostSource.queueName(interrupt))
                                        .with("irq", interrupt.number())
                                        .withKnown("core", interrupt.core())));
    }
}
