package io.fdt.monitor;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.fdt.core.HostView;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.Sample.LaneState;
import io.fdt.monitor.figure.Sample.QueueRate;
import io.fdt.monitor.figure.Sample.SessionState;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes a sample as one line of JSON. Shares have four digits and rates none, which is more than anyone can see. */
final class SampleJson {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final double SHARE_STEPS = 10_000;

    private SampleJson() {}

    /** In UTF-8, without a newline. */
    static byte[] of(Sample sample) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(4096);
        try (JsonGenerator json = FACTORY.createGenerator(out)) {
            json.writeStartObject();
            json.writeNumberField("t", sample.epochMs());
            json.writeStringField("role", sample.role());
            json.writeStringField("host", sample.host());
            writeCores(json, sample.cores());
            writeNics(json, sample.nics());
            json.writeArrayFieldStart("queues");
            for (QueueRate queue : sample.queues()) {
                write(json, queue);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("sessions");
            for (SessionState session : sample.sessions()) {
                write(json, session);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("lanes");
            for (LaneState lane : sample.lanes()) {
                write(json, lane);
            }
            json.writeEndArray();
            json.writeObjectFieldStart("peers");
            for (Map.Entry<String, HostView> peer : sample.peers().entrySet()) {
                json.writeObjectFieldStart(peer.getKey());
                json.writeStringField("host", peer.getValue().host());
                writeCores(json, peer.getValue().cores());
                writeNics(json, peer.getValue().nics());
                json.writeEndObject();
            }
            json.writeEndObject();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static void writeCores(JsonGenerator json, List<HostView.Core> cores) throws IOException {
        json.writeArrayFieldStart("cores");
        for (HostView.Core core : cores) {
            json.writeStartObject();
            json.writeNumberField("core", core.core());
            json.writeNumberField("node", core.node());
            share(json, "user", core.user());
            share(json, "nice", core.nice());
            share(json, "system", core.system());
            share(json, "irq", core.irq());
            share(json, "softirq", core.softirq());
            share(json, "iowait", core.iowait());
            share(json, "steal", core.steal());
            share(json, "idle", core.idle());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void writeNics(JsonGenerator json, List<HostView.Nic> nics) throws IOException {
        json.writeArrayFieldStart("nics");
        for (HostView.Nic nic : nics) {
            json.writeStartObject();
            json.writeStringField("nic", nic.nic());
            number(json, "speed_bits", nic.speedBits());
            text(json, "bond", nic.bond());
            rate(json, "rx_bytes_s", nic.rxBytesPerSecond());
            rate(json, "tx_bytes_s", nic.txBytesPerSecond());
            rate(json, "rx_drops_s", nic.rxDropsPerSecond());
            rate(json, "tx_drops_s", nic.txDropsPerSecond());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void write(JsonGenerator json, QueueRate queue) throws IOException {
        json.writeStartObject();
        json.writeStringField("nic", queue.nic());
        json.writeStringField("queue", queue.queue());
        json.writeNumberField("irq", queue.irq());
        number(json, "core", queue.core());
        rate(json, "interrupts_s", queue.interruptsPerSecond());
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, SessionState session) throws IOException {
        json.writeStartObject();
        json.writeStringField("session", session.session());
        json.writeStringField("service", session.service());
        json.writeStringField("direction", session.direction());
        json.writeStringField("peer", session.peer());
        json.writeNumberField("files", session.files());
        number(json, "files_total", session.filesTotal());
        json.writeNumberField("bytes", session.bytes());
        number(json, "bytes_total", session.bytesTotal());
        rate(json, "bytes_s", session.bytesPerSecond());
        json.writeNumberField("chunks_resent", session.chunksResent());
        text(json, "limit", session.limit());
        text(json, "verdict", session.verdict());
        text(json, "file", session.file());
        text(json, "lanes", session.lanes());
        json.writeBooleanField("ended", session.ended());
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, LaneState lane) throws IOException {
        json.writeStartObject();
        json.writeStringField("session", lane.session());
        json.writeNumberField("lane", lane.lane());
        json.writeStringField("direction", lane.direction());
        json.writeNumberField("bytes", lane.bytes());
        rate(json, "bytes_s", lane.bytesPerSecond());
        number(json, "rtt_us", lane.rttUs());
        number(json, "retransmits", lane.retransmits());
        number(json, "cwnd_bytes", lane.cwndBytes());
        number(json, "core", lane.core());
        number(json, "incoming_core", lane.incomingCore());
        text(json, "queue", lane.queue());
        json.writeEndObject();
    }

    private static void share(JsonGenerator json, String name, double value) throws IOException {
        json.writeNumberField(name, Math.round(value * SHARE_STEPS) / SHARE_STEPS);
    }

    private static void rate(JsonGenerator json, String name, double value) throws IOException {
        number(json, name, value < 0 ? -1 : Math.round(value));
    }

    private static void number(JsonGenerator json, String name, long value) throws IOException {
        if (value < 0) {
            json.writeNullField(name);
        } else {
            json.writeNumberField(name, value);
        }
    }

    private static void text(JsonGenerator json, String name, @Nullable String value) throws IOException {
        if (value == null) {
            json.writeNullField(name);
        } else {
            json.writeStringField(name, value);
        }
    }
}
