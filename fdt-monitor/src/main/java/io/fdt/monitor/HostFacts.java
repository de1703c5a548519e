package io.fdt.monitor;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.fdt.core.host.Core;
import io.fdt.core.host.Host;
import io.fdt.core.host.Interrupt;
import io.fdt.core.host.Nic;
import io.fdt.core.host.PciLink;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** What a host is, as JSON: what does not change from second to second. */
final class HostFacts {
    private static final JsonFactory FACTORY = new JsonFactory();

    private HostFacts() {}

    /** @param irqTimeAccounting null where the kernel does not tell */
    static byte[] of(Host host, String role, String version, @Nullable Boolean irqTimeAccounting) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = FACTORY.createGenerator(out)) {
            json.writeStartObject();
            json.writeStringField("host", host.name());
            json.writeStringField("role", role);
            json.writeStringField("version", version);
            json.writeStringField("kernel", host.kernel());
            json.writeStringField("cpu", host.cpu());
            if (irqTimeAccounting == null) {
                json.writeNullField("irq_time_accounting");
            } else {
                json.writeBooleanField("irq_time_accounting", irqTimeAccounting);
            }
            json.writeArrayFieldStart("cores");
            for (Core core : host.cores()) {
                json.writeStartObject();
                json.writeNumberField("core", core.id());
                json.writeNumberField("node", core.node());
                json.writeNumberField("socket", core.socket());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeArrayFieldStart("nics");
            for (Nic nic : host.nics()) {
                write(json, nic);
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static void write(JsonGenerator json, Nic nic) throws IOException {
        json.writeStartObject();
        json.writeStringField("nic", nic.name());
        json.writeStringField("driver", nic.driver());
        json.writeBooleanField("up", nic.up());
        if (nic.speedBitsPerSecond() > 0) {
            json.writeNumberField("speed_bits", nic.speedBitsPerSecond());
        } else {
            json.writeNullField("speed_bits");
        }
        json.writeNumberField("mtu", nic.mtuBytes());
        json.writeNumberField("node", nic.node());
        PciLink pci = nic.pci();
        if (pci == null) {
            json.writeNullField("pci");
        } else {
            json.writeStringField("pci", pci.label());
        }
        json.writeArrayFieldStart("queues");
        for (Interrupt interrupt : nic.queueInterrupts()) {
            json.writeStartObject();
            json.writeStringField("queue", HostSource.queueName(interrupt));
            json.writeNumberField("irq", interrupt.number());
            json.writeNumberField("core", interrupt.core());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}
