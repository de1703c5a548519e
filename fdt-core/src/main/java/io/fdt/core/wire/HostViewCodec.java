package io.fdt.core.wire;

import static io.fdt.core.wire.Fields.at;
import static io.fdt.core.wire.Fields.list;
import static io.fdt.core.wire.Fields.number;
import static io.fdt.core.wire.Fields.text;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fdt.core.HostView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A host's last second as CBOR: an array a core and a NIC. Writing cuts off what is beyond the bounds, reading refuses
 * it.
 */
final class HostViewCodec {
    private static final int MAX_FIELDS = 16;

    private HostViewCodec() {}

    static void write(JsonGenerator json, HostView view) throws IOException {
        json.writeStringField("host", clipped(view.host()));
        json.writeArrayFieldStart("cores");
        for (HostView.Core core : view.cores().subList(0, Math.min(view.cores().size(), Bounds.MAX_VIEW_CORES))) {
            int[] fields = {
                core.core(),
                core.node(),
                core.user(),
                core.nice(),
                core.system(),
                core.irq(),
                core.softirq(),
                core.iowait(),
                core.steal()
            };
            json.writeArray(fields, 0, fields.length);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("nics");
        for (HostView.Nic nic : view.nics().subList(0, Math.min(view.nics().size(), Bounds.MAX_VIEW_NICS))) {
            json.writeStartArray();
            json.writeString(clipped(nic.nic()));
            json.writeNumber(nic.speedBits());
            String bond = nic.bond();
            if (bond == null) {
                json.writeNull();
            } else {
                json.writeString(clipped(bond));
            }
            json.writeNumber(nic.rxBytesPerSecond());
            json.writeNumber(nic.txBytesPerSecond());
            json.writeNumber(nic.rxDropsPerSecond());
            json.writeNumber(nic.txDropsPerSecond());
            json.writeEndArray();
        }
        json.writeEndArray();
    }

    static HostView read(Map<String, @Nullable Object> map) throws IOException {
        List<HostView.Core> cores = new ArrayList<>();
        for (Object each : list(map.get("cores"), Bounds.MAX_VIEW_CORES, "cores")) {
            List<?> fields = list(each, MAX_FIELDS, "core");
            cores.add(new HostView.Core(
                    (int) number(at(fields, 0), 0, Bounds.MAX_CORES - 1, "core"),
                    (int) number(at(fields, 1), -1, Bounds.MAX_CORES - 1, "node"),
                    share(fields, 2),
                    share(fields, 3),
                    share(fields, 4),
                    share(fields, 5),
                    share(fields, 6),
                    share(fields, 7),
                    share(fields, 8)));
        }
        List<HostView.Nic> nics = new ArrayList<>();
        for (Object each : list(map.get("nics"), Bounds.MAX_VIEW_NICS, "NICs")) {
            List<?> fields = list(each, MAX_FIELDS, "NIC");
            Object bond = at(fields, 2);
            nics.add(new HostView.Nic(
                    name(at(fields, 0)),
                    rate(fields, 1),
                    bond == null ? null : name(bond),
                    rate(fields, 3),
                    rate(fields, 4),
                    rate(fields, 5),
                    rate(fields, 6)));
        }
        return new HostView(name(map.get("host")), cores, nics);
    }

    private static int share(List<?> fields, int index) throws IOException {
        return (int) number(at(fields, index), 0, HostView.WHOLE, "share of a core");
    }

    private static long rate(List<?> fields, int index) throws IOException {
        return number(at(fields, index), -1, Long.MAX_VALUE, "rate");
    }

    /** Bounded as it is shown, where what could steer a terminal takes more room. */
    private static String name(@Nullable Object value) throws IOException {
        String name = text(value, "name");
        if (name.length() > Bounds.MAX_NAME_CHARS) {
            throw Fields.misfit("name");
        }
        return name;
    }

    private static String clipped(String name) {
        return name.length() <= Bounds.MAX_NAME_CHARS ? name : name.substring(0, Bounds.MAX_NAME_CHARS);
    }
}
