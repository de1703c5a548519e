package io.fdt.monitor;

import io.fdt.core.basic.HostView;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.JsonReader;
import io.fdt.core.stats.Moved;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.Sample.LaneState;
import io.fdt.monitor.figure.Sample.QueueRate;
import io.fdt.monitor.figure.Sample.RootState;
import io.fdt.monitor.figure.Sample.SessionState;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A sample as one line of JSON, whose members are described once for writing and for reading. Shares have four decimals
 * and rates none, which is enough for display. Unknown members are ignored, and members that are absent or null are
 * unknown figures. What is read is untrusted: its length is bounded by the caller.
 */
final class SampleJson {
    private SampleJson() {}

    /** In UTF-8, without a newline. */
    static byte[] of(Sample sample) {
        return written(sample, SampleJson::sample).bytes();
    }

    private static <T> JsonObject written(T value, Function<Members<T>, T> shape) {
        JsonObject json = new JsonObject();
        var unused = shape.apply(new Members<>(value, json));
        return json;
    }

    /** @throws IOException if it is not a JSON object */
    static Sample read(byte[] json, int offset) throws IOException {
        try (JsonReader reader = JsonReader.of(json, offset)) {
            JsonObject read = reader.next();
            if (read == null) {
                throw new IOException("a sample is not a JSON object");
            }
            return sample(new Members<>(null, read));
        }
    }

    private static Sample sample(Members<Sample> m) {
        return new Sample(
                m.whole("t", Sample::epochMs),
                m.text("role", Sample::role),
                m.part(Sample::view, SampleJson::view),
                m.part(Sample::devices, SampleJson::devices),
                m.each("sessions", Sample::sessions, SampleJson::session),
                m.each("lanes", Sample::lanes, SampleJson::lane),
                peers(m));
    }

    private static Map<String, HostView> peers(Members<Sample> m) {
        Map<String, HostView> peers = new LinkedHashMap<>();
        if (m.value != null) {
            JsonObject json = new JsonObject();
            m.value.peers().forEach((session, view) -> json.with(session, written(view, SampleJson::view)));
            m.json.with("peers", json);
            return m.value.peers();
        }
        JsonObject hosts = m.json.part("peers");
        hosts.values().keySet().stream()
                .filter(hosts::has)
                .forEach(session -> peers.put(session, view(new Members<>(null, hosts.part(session)))));
        return peers;
    }

    private static HostView view(Members<HostView> m) {
        return new HostView(
                m.text("host", HostView::host),
                m.each("cores", HostView::cores, SampleJson::core),
                m.each("nics", HostView::nics, SampleJson::nic));
    }

    private static HostView.Core core(Members<HostView.Core> m) {
        return new HostView.Core(
                (int) m.whole("core", HostView.Core::core),
                (int) m.whole("node", HostView.Core::node),
                m.part(HostView.Core::shares, SampleJson::shares));
    }

    private static HostView.Shares shares(Members<HostView.Shares> m) {
        HostView.Shares shares = new HostView.Shares(
                m.share("user", HostView.Shares::user),
                m.share("nice", HostView.Shares::nice),
                m.share("system", HostView.Shares::system),
                m.share("irq", HostView.Shares::irq),
                m.share("softirq", HostView.Shares::softirq),
                m.share("iowait", HostView.Shares::iowait),
                m.share("steal", HostView.Shares::steal));
        // What the others leave, also as they are shown.
        m.json.with("idle", HostView.Shares.rounded(shares.idle()));
        return shares;
    }

    private static HostView.Nic nic(Members<HostView.Nic> m) {
        return new HostView.Nic(
                m.text("nic", HostView.Nic::nic),
                m.known("speed_bits", HostView.Nic::speedBits),
                m.textIfKnown("bond", HostView.Nic::bond),
                m.rate("rx_bytes_s", HostView.Nic::rxBytesPerSecond),
                m.rate("tx_bytes_s", HostView.Nic::txBytesPerSecond),
                m.rate("rx_drops_s", HostView.Nic::rxDropsPerSecond),
                m.rate("tx_drops_s", HostView.Nic::txDropsPerSecond));
    }

    private static Sample.Devices devices(Members<Sample.Devices> m) {
        return new Sample.Devices(
                m.each("queues", Sample.Devices::queues, SampleJson::queue),
                m.each("roots", Sample.Devices::roots, SampleJson::root));
    }

    private static QueueRate queue(Members<QueueRate> m) {
        return new QueueRate(
                m.text("nic", QueueRate::nic),
                m.text("queue", QueueRate::queue),
                (int) m.whole("irq", QueueRate::irq),
                (int) m.known("core", QueueRate::core),
                m.rate("interrupts_s", QueueRate::interruptsPerSecond));
    }

    private static RootState root(Members<RootState> m) {
        return new RootState(
                m.text("root", RootState::root),
                m.text("device", RootState::device),
                new Sample.Room(
                        m.known("free_bytes", root -> root.room().freeBytes()),
                        m.known("size_bytes", root -> root.room().sizeBytes())),
                new Sample.DiskRate(
                        m.rate("read_bytes_s", root -> root.read().bytesPerSecond()),
                        m.known("read_us", root -> root.read().latencyUs())),
                new Sample.DiskRate(
                        m.rate("written_bytes_s", root -> root.written().bytesPerSecond()),
                        m.known("write_us", root -> root.written().latencyUs())));
    }

    private static SessionState session(Members<SessionState> m) {
        return new SessionState(
                m.part(SessionState::name, SampleJson::name),
                m.part(SessionState::amounts, SampleJson::amounts),
                m.part(SessionState::run, SampleJson::run),
                limit(m),
                m.whole("chunks_resent", SessionState::chunksResent),
                m.textIfKnown("file", SessionState::file),
                m.textIfKnown("lanes", SessionState::lanes));
    }

    private static Sample.SessionName name(Members<Sample.SessionName> m) {
        return new Sample.SessionName(
                m.text("session", Sample.SessionName::session),
                m.text("service", Sample.SessionName::service),
                m.text("direction", Sample.SessionName::direction),
                m.text("peer", Sample.SessionName::peer),
                m.text("key", Sample.SessionName::key),
                m.text("purpose", Sample.SessionName::purpose));
    }

    private static Sample.Amounts amounts(Members<Sample.Amounts> m) {
        return new Sample.Amounts(
                m.whole("files", Sample.Amounts::files),
                m.known("files_total", Sample.Amounts::filesTotal),
                m.whole("files_failed", Sample.Amounts::filesFailed),
                m.whole("bytes", Sample.Amounts::bytes),
                m.known("bytes_total", Sample.Amounts::bytesTotal),
                m.part(Sample.Amounts::moved, SampleJson::moved),
                m.rate("bytes_s", Sample.Amounts::bytesPerSecond));
    }

    private static Moved moved(Members<Moved> m) {
        return new Moved(
                m.whole("bytes_sent", Moved::sent),
                m.whole("bytes_arrived", Moved::arrived),
                m.whole("bytes_verified", Moved::verified),
                m.whole("bytes_durable", Moved::durable),
                m.whole("bytes_final", Moved::named));
    }

    private static Sample.Run run(Members<Sample.Run> m) {
        Sample.Run run = new Sample.Run(
                m.whole("start", Sample.Run::startMs),
                m.known("end", Sample.Run::endMs),
                m.textIfKnown("outcome", Sample.Run::outcome),
                (int) m.known("exit_code", Sample.Run::exitCode),
                m.textIfKnown("reason", Sample.Run::reason));
        m.json.with("ended", run.isEnded());
        return run;
    }

    private static Sample.@Nullable Limit limit(Members<SessionState> m) {
        Sample.Limit limit = m.value == null ? null : m.value.bottleneck();
        String word = m.textIfKnown("limit", session -> limit == null ? null : limit.word());
        String sentence = m.textIfKnown("verdict", session -> limit == null ? null : limit.sentence());
        return word == null ? null : new Sample.Limit(word, Objects.requireNonNullElse(sentence, ""));
    }

    private static LaneState lane(Members<LaneState> m) {
        return new LaneState(
                m.text("session", LaneState::session),
                (int) m.whole("lane", LaneState::lane),
                m.text("direction", LaneState::direction),
                m.whole("bytes", LaneState::bytes),
                m.rate("bytes_s", LaneState::bytesPerSecond),
                new Sample.Connection(
                        m.known("rtt_us", lane -> lane.connection().rttUs()),
                        m.known("retransmits", lane -> lane.connection().retransmits()),
                        m.known("cwnd_bytes", lane -> lane.connection().cwndBytes())),
                new Sample.Place(
                        (int) m.known("core", lane -> lane.place().core()),
                        (int) m.known("incoming_core", lane -> lane.place().incomingCore()),
                        m.textIfKnown("queue", lane -> lane.place().queue())));
    }

    /**
     * The members of a value: they are written to the object if there is a value, and read from it otherwise.
     *
     * @param value null while it is read
     */
    private record Members<T>(@Nullable T value, JsonObject json) {
        <P> P part(Function<T, P> of, Function<Members<P>, P> shape) {
            return shape.apply(new Members<>(value == null ? null : of.apply(value), json));
        }

        <P> List<P> each(String name, Function<T, List<P>> of, Function<Members<P>, P> shape) {
            if (value == null) {
                return json.rows(name).stream()
                        .map(row -> shape.apply(new Members<>(null, row)))
                        .toList();
            }
            List<P> all = of.apply(value);
            json.with(name, JsonObject.list(all, part -> written(part, shape)));
            return all;
        }

        String text(String name, Function<T, String> of) {
            return Objects.requireNonNullElse(textIfKnown(name, of), "");
        }

        @Nullable String textIfKnown(String name, Function<T, @Nullable String> of) {
            if (value == null) {
                return json.values().get(name) instanceof String text ? text : null;
            }
            String text = of.apply(value);
            json.with(name, text);
            return text;
        }

        long whole(String name, ToLongFunction<T> of) {
            long whole = value == null ? json.count(name) : of.applyAsLong(value);
            json.with(name, whole);
            return whole;
        }

        /** Null if it is negative. */
        long known(String name, ToLongFunction<T> of) {
            long known = value == null ? json.count(name) : of.applyAsLong(value);
            json.withKnown(name, known);
            return known;
        }

        double rate(String name, ToDoubleFunction<T> of) {
            double rate = value == null ? number(name) : of.applyAsDouble(value);
            json.withKnown(name, rate < 0 ? -1 : Math.round(rate));
            return rate;
        }

        double share(String name, ToDoubleFunction<T> of) {
            double share = value == null ? number(name) : HostView.Shares.rounded(of.applyAsDouble(value));
            json.with(name, share);
            return share;
        }

        private double number(String name) {
            return json.values().get(name) instanceof Number number ? number.doubleValue() : -1;
        }
    }
}
