package io.fdt.monitor;

import io.fdt.core.JsonLine;
import io.fdt.core.host.Host;
import io.fdt.core.host.Nic;
import io.fdt.core.host.PciLink;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The facts about a host that do not change from second to second, as JSON. */
final class HostFacts {
    private HostFacts() {}

    /** @param irqTimeAccounting null if the kernel does not show it */
    static byte[] of(Host host, String role, String version, @Nullable Boolean irqTimeAccounting) {
        return JsonLine.bytes(json -> {
            json.text("host", host.name());
            json.text("role", role);
            json.text("version", version);
            json.text("kernel", host.machine().kernel());
            json.text("cpu", host.machine().cpu());
            if (irqTimeAccounting == null) {
                json.text("irq_time_accounting", null);
            } else {
                json.flag("irq_time_accounting", irqTimeAccounting);
            }
            json.objects("cores", host.topology().cores(), (one, core) -> {
                one.number("core", core.id());
                one.number("node", core.node());
                one.number("socket", core.socket());
            });
            json.objects("nics", host.network().nics(), HostFacts::write);
        });
    }

    private static void write(JsonLine json, Nic nic) throws IOException {
        PciLink pci = nic.device().pci();
        json.text("nic", nic.name());
        json.text("driver", nic.device().driver());
        json.flag("up", nic.link().up());
        json.numberIfKnown("speed_bits", nic.link().bitsPerSecond() > 0 ? nic.link().bitsPerSecond() : -1);
        json.number("mtu", nic.link().mtuBytes());
        json.number("node", nic.device().node());
        json.text("pci", pci == null ? null : pci.label());
        json.objects("queues", nic.queues().queueInterrupts(), (one, interrupt) -> {
            one.text("queue", HostSource.queueName(interrupt));
            one.number("irq", interrupt.number());
            one.number("core", interrupt.core());
        });
    }
}
