package io.fdt.monitor;

import io.fdt.core.basic.HostView;
import io.fdt.core.basic.JsonObject;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.Sample.LaneState;
import io.fdt.monitor.figure.Sample.QueueRate;
import io.fdt.monitor.figure.Sample.RootState;
import io.fdt.monitor.figure.Sample.SessionState;

/** A sample as one line of JSON. Shares have four decimals and rates none, which is enough for display. */
final class SampleJson {
    private SampleJson() {}

    /** In UTF-8, without a newline. */
    static byte[] of(Sample sample) {
        JsonObject peers = new JsonObject();
        sample.peers().forEach((session, view) -> peers.with(session, json(view)));
        return new JsonObject()
                .with("t", sample.epochMs())
                .with("role", sample.role())
                .with(json(sample.view()))
                .with("queues", JsonObject.list(sample.devices().queues(), SampleJson::json))
                .with("roots", JsonObject.list(sample.devices().roots(), SampleJson::json))
                .with("sessions", JsonObject.list(sample.sessions(), SampleJson::json))
                .with("lanes", JsonObject.list(sample.lanes(), SampleJson::json))
                .with("peers", peers)
                .bytes();
    }

    private static JsonObject json(HostView view) {
        return new JsonObject()
                .with("host", view.host())
                .with("cores", JsonObject.list(view.cores(), SampleJson::json))
                .with("nics", JsonObject.list(view.nics(), SampleJson::json));
    }

    private static JsonObject json(HostView.Core core) {
        // Idle is what the others leave, also as they are shown.
        HostView.Shares shares = core.shares().rounded();
        return new JsonObject()
                .with("core", core.core())
                .with("node", core.node())
                .with("user", shares.user())
                .with("nice", shares.nice())
                .with("system", shares.system())
                .with("irq", shares.irq())
                .with("softirq", shares.softirq())
                .with("iowait", shares.iowait())
                .with("steal", shares.steal())
                .with("idle", HostView.Shares.rounded(shares.idle()));
    }

    private static JsonObject json(HostView.Nic nic) {
        return new JsonObject()
                .with("nic", nic.nic())
                .withKnown("speed_bits", nic.speedBits())
                .with("bond", nic.bond())
                .withKnown("rx_bytes_s", rate(nic.rxBytesPerSecond()))
                .withKnown("tx_bytes_s", rate(nic.txBytesPerSecond()))
                .withKnown("rx_drops_s", rate(nic.rxDropsPerSecond()))
                .withKnown("tx_drops_s", rate(nic.txDropsPerSecond()));
    }

    private static JsonObject json(QueueRate queue) {
        return new JsonObject()
                .with("nic", queue.nic())
                .with("queue", queue.queue())
                .with("irq", queue.irq())
                .withKnown("core", queue.core())
                .withKnown("interrupts_s", rate(queue.interruptsPerSecond()));
    }

    private static JsonObject json(RootState root) {
        return new JsonObject()
                .with("root", root.root())
                .with("device", root.device())
                .withKnown("free_bytes", root.room().freeBytes())
                .withKnown("size_bytes", root.room().sizeBytes())
                .withKnown("read_bytes_s", rate(root.read().bytesPerSecond()))
                .withKnown("read_us", root.read().latencyUs())
                .withKnown("written_bytes_s", rate(root.written().bytesPerSecond()))
                .withKnown("write_us", root.written().latencyUs());
    }

    private static JsonObject json(SessionState session) {
        Sample.SessionName name = session.name();
        Sample.Amounts amounts = session.amounts();
        Sample.Run run = session.run();
        Sample.Limit bottleneck = session.bottleneck();
        return new JsonObject()
                .with("session", name.session())
                .with("service", name.service())
                .with("direction", name.direction())
                .with("peer", name.peer())
                .with("files", amounts.files())
                .withKnown("files_total", amounts.filesTotal())
                .with("bytes", amounts.bytes())
                .withKnown("bytes_total", amounts.bytesTotal())
                .withKnown("bytes_s", rate(amounts.bytesPerSecond()))
                .with("chunks_resent", session.chunksResent())
                .with("limit", bottleneck == null ? null : bottleneck.word())
                .with("verdict", bottleneck == null ? null : bottleneck.sentence())
                .with("file", session.file())
                .with("lanes", session.lanes())
                .with("ended", run.isEnded())
                .with("key", name.key())
                .with("purpose", name.purpose())
                .with("files_failed", amounts.filesFailed())
                .with(amounts.moved().json())
                .with("start", run.startMs())
                .withKnown("end", run.endMs())
                .with("outcome", run.outcome())
                .withKnown("exit_code", run.exitCode())
                .with("reason", run.reason());
    }

    private static JsonObject json(LaneState lane) {
        Sample.Connection connection = lane.connection();
        return new JsonObject()
                .with("session", lane.session())
                .with("lane", lane.lane())
                .with("direction", lane.direction())
                .with("bytes", lane.bytes())
                .withKnown("bytes_s", rate(lane.bytesPerSecond()))
                .withKnown("rtt_us", connection.rttUs())
                .withKnown("retransmits", connection.retransmits())
                .withKnown("cwnd_bytes", connection.cwndBytes())
                .withKnown("core", lane.place().core())
                .withKnown("incoming_core", lane.place().incomingCore())
                .with("queue", lane.place().queue());
    }

    private static long rate(double value) {
        return value < 0 ? -1 : Math.round(value);
    }
}
