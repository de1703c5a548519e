package io.fdt.monitor;

import io.fdt.core.HostView;
import io.fdt.core.JsonLine;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.Sample.LaneState;
import io.fdt.monitor.figure.Sample.QueueRate;
import io.fdt.monitor.figure.Sample.SessionState;
import java.io.IOException;
import java.util.Map;

/** Writes a sample as one line of JSON. Shares have four decimals and rates none, which is enough for display. */
final class SampleJson {
    private static final double SHARE_STEPS = 10_000;

    private SampleJson() {}

    /** In UTF-8, without a newline. */
    static byte[] of(Sample sample) {
        return JsonLine.bytes(json -> {
            json.number("t", sample.epochMs());
            json.text("role", sample.role());
            write(json, sample.view());
            json.objects("queues", sample.queues(), SampleJson::write);
            json.objects("sessions", sample.sessions(), SampleJson::write);
            json.objects("lanes", sample.lanes(), SampleJson::write);
            json.object("peers", peers -> {
                for (Map.Entry<String, HostView> peer : sample.peers().entrySet()) {
                    peers.object(peer.getKey(), host -> write(host, peer.getValue()));
                }
            });
        });
    }

    private static void write(JsonLine json, HostView view) throws IOException {
        json.text("host", view.host());
        json.objects("cores", view.cores(), SampleJson::write);
        json.objects("nics", view.nics(), SampleJson::write);
    }

    private static void write(JsonLine json, HostView.Core core) throws IOException {
        json.number("core", core.core());
        json.number("node", core.node());
        share(json, "user", core.user());
        share(json, "nice", core.nice());
        share(json, "system", core.system());
        share(json, "irq", core.irq());
        share(json, "softirq", core.softirq());
        share(json, "iowait", core.iowait());
        share(json, "steal", core.steal());
        share(json, "idle", core.idle());
    }

    private static void write(JsonLine json, HostView.Nic nic) throws IOException {
        json.text("nic", nic.nic());
        json.numberIfKnown("speed_bits", nic.speedBits());
        json.text("bond", nic.bond());
        rate(json, "rx_bytes_s", nic.rxBytesPerSecond());
        rate(json, "tx_bytes_s", nic.txBytesPerSecond());
        rate(json, "rx_drops_s", nic.rxDropsPerSecond());
        rate(json, "tx_drops_s", nic.txDropsPerSecond());
    }

    private static void write(JsonLine json, QueueRate queue) throws IOException {
        json.text("nic", queue.nic());
        json.text("queue", queue.queue());
        json.number("irq", queue.irq());
        json.numberIfKnown("core", queue.core());
        rate(json, "interrupts_s", queue.interruptsPerSecond());
    }

    private static void write(JsonLine json, SessionState session) throws IOException {
        json.text("session", session.session());
        json.text("service", session.service());
        json.text("direction", session.direction());
        json.text("peer", session.peer());
        json.number("files", session.files());
        json.numberIfKnown("files_total", session.filesTotal());
        json.number("bytes", session.bytes());
        json.numberIfKnown("bytes_total", session.bytesTotal());
        rate(json, "bytes_s", session.bytesPerSecond());
        json.number("chunks_resent", session.chunksResent());
        json.text("limit", session.limit());
        json.text("verdict", session.verdict());
        json.text("file", session.file());
        json.text("lanes", session.lanes());
        json.flag("ended", session.ended());
        json.text("key", session.key());
        json.text("purpose", session.purpose());
        json.number("files_failed", session.filesFailed());
        json.number("bytes_moved", session.bytesMoved());
        json.number("start", session.startMs());
        json.numberIfKnown("end", session.endMs());
        json.text("outcome", session.outcome());
        json.numberIfKnown("exit_code", session.exitCode());
        json.text("reason", session.reason());
    }

    private static void write(JsonLine json, LaneState lane) throws IOException {
        json.text("session", lane.session());
        json.number("lane", lane.lane());
        json.text("direction", lane.direction());
        json.number("bytes", lane.bytes());
        rate(json, "bytes_s", lane.bytesPerSecond());
        json.numberIfKnown("rtt_us", lane.rttUs());
        json.numberIfKnown("retransmits", lane.retransmits());
        json.numberIfKnown("cwnd_bytes", lane.cwndBytes());
        json.numberIfKnown("core", lane.core());
        json.numberIfKnown("incoming_core", lane.incomingCore());
        json.text("queue", lane.queue());
    }

    private static void share(JsonLine json, String name, double value) throws IOException {
        json.decimal(name, Math.round(value * SHARE_STEPS) / SHARE_STEPS);
    }

    private static void rate(JsonLine json, String name, double value) throws IOException {
        json.numberIfKnown(name, value < 0 ? -1 : Math.round(value));
    }
}
