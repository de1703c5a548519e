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
        // Idle is what the others leave, also as they are shown.
        HostView.Shares shares = core.shares().rounded();
        json.number("core", core.core());
        json.number("node", core.node());
        share(json, "user", shares.user());
        share(json, "nice", shares.nice());
        share(json, "system", shares.system());
        share(json, "irq", shares.irq());
        share(json, "softirq", shares.softirq());
        share(json, "iowait", shares.iowait());
        share(json, "steal", shares.steal());
        share(json, "idle", shares.idle());
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
        json.text("session", session.name().session());
        json.text("service", session.name().service());
        json.text("direction", session.name().direction());
        json.text("peer", session.name().peer());
        json.number("files", session.amounts().files());
        json.numberIfKnown("files_total", session.amounts().filesTotal());
        json.number("bytes", session.amounts().bytes());
        json.numberIfKnown("bytes_total", session.amounts().bytesTotal());
        rate(json, "bytes_s", session.amounts().bytesPerSecond());
        json.number("chunks_resent", session.chunksResent());
        Sample.Limit bottleneck = session.bottleneck();
        json.text("limit", bottleneck == null ? null : bottleneck.word());
        json.text("verdict", bottleneck == null ? null : bottleneck.sentence());
        json.text("file", session.file());
        json.text("lanes", session.lanes());
        json.flag("ended", session.run().isEnded());
        json.text("key", session.name().key());
        json.text("purpose", session.name().purpose());
        json.number("files_failed", session.amounts().filesFailed());
        json.number("bytes_moved", session.amounts().bytesMoved());
        json.number("start", session.run().startMs());
        json.numberIfKnown("end", session.run().endMs());
        json.text("outcome", session.run().outcome());
        json.numberIfKnown("exit_code", session.run().exitCode());
        json.text("reason", session.run().reason());
    }

    private static void write(JsonLine json, LaneState lane) throws IOException {
        json.text("session", lane.session());
        json.number("lane", lane.lane());
        json.text("direction", lane.direction());
        json.number("bytes", lane.bytes());
        rate(json, "bytes_s", lane.bytesPerSecond());
        json.numberIfKnown("rtt_us", lane.connection().rttUs());
        json.numberIfKnown("retransmits", lane.connection().retransmits());
        json.numberIfKnown("cwnd_bytes", lane.connection().cwndBytes());
        json.numberIfKnown("core", lane.place().core());
        json.numberIfKnown("incoming_core", lane.place().incomingCore());
        json.text("queue", lane.place().queue());
    }

    private static void share(JsonLine json, String name, double value) throws IOException {
        json.decimal(name, Math.round(value * SHARE_STEPS) / SHARE_STEPS);
    }

    private static void rate(JsonLine json, String name, double value) throws IOException {
        json.numberIfKnown(name, value < 0 ? -1 : Math.round(value));
    }
}
