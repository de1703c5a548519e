package io.fdt.core.wire;

import static io.fdt.core.wire.Fields.count;
import static io.fdt.core.wire.Fields.flag;
import static io.fdt.core.wire.Fields.number;
import static io.fdt.core.wire.Fields.size;
import static io.fdt.core.wire.Fields.text;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The messages of every session as CBOR. */
final class SessionCodec {
    private static final int MAX_PORT = 65_535;

    private SessionCodec() {}

    static void write(JsonGenerator json, SessionMessage message) throws IOException {
        if (message instanceof SessionMessage.Challenge m) {
            FieldWriter.code(json, 1);
            json.writeStringField("software", m.software());
            json.writeBinaryField("nonce", m.nonce());
        } else if (message instanceof SessionMessage.Authenticate m) {
            FieldWriter.code(json, 2);
            json.writeStringField("key", m.keyId());
            json.writeBinaryField("proof", m.proof());
            json.writeStringField("software", m.software());
            json.writeNumberField("can", m.capabilities());
        } else if (message instanceof SessionMessage.Opened m) {
            FieldWriter.code(json, 4);
            json.writeBinaryField("session", m.sessionId());
            json.writeBinaryField("secret", m.secret());
            json.writeNumberField("lanes", m.lanes());
            json.writeBooleanField("clear", m.clearLanes());
            if (m.rdmaPort() != 0) {
                json.writeNumberField("rdma", m.rdmaPort());
            }
            json.writeNumberField("can", m.capabilities());
        } else if (message instanceof SessionMessage.Failed m) {
            FieldWriter.code(json, 5);
            json.writeNumberField("code", m.exitCode());
            json.writeStringField("why", FieldWriter.clipped(m.message()));
        } else if (message instanceof SessionMessage.Warning m) {
            FieldWriter.code(json, 15);
            json.writeStringField("why", FieldWriter.clipped(m.message()));
        } else if (message instanceof SessionMessage.Heartbeat m) {
            FieldWriter.code(json, 18);
            json.writeNumberField("heard", m.heard());
        } else if (message instanceof SessionMessage.Leaving) {
            FieldWriter.code(json, 19);
        } else if (message instanceof SessionMessage.Reattach m) {
            FieldWriter.code(json, 20);
            json.writeBinaryField("session", m.sessionId());
            json.writeBinaryField("proof", m.proof());
            json.writeNumberField("heard", m.heard());
        } else if (message instanceof SessionMessage.Reattached m) {
            FieldWriter.code(json, 21);
            json.writeNumberField("heard", m.heard());
        } else if (message instanceof SessionMessage.AskHost) {
            FieldWriter.code(json, 24);
        } else if (message instanceof SessionMessage.HostTold m) {
            FieldWriter.code(json, 25);
            HostViewCodec.write(json, m.view());
        }
    }

    /** Null if the code is none of these. */
    static @Nullable SessionMessage read(int code, Map<String, @Nullable Object> map) throws IOException {
        return switch (code) {
            case 1 ->
                new SessionMessage.Challenge(
                        text(map.get("software"), "software"), Fields.bytes(map.get("nonce"), 64, "nonce"));
            case 2 ->
                new SessionMessage.Authenticate(
                        text(map.get("key"), "key"),
                        Fields.bytes(map.get("proof"), 64, "proof"),
                        text(map.get("software"), "software"),
                        capabilities(map));
            case 4 ->
                new SessionMessage.Opened(
                        Fields.exactBytes(map.get("session"), LaneHello.SESSION_ID_BYTES, "session"),
                        Fields.exactBytes(map.get("secret"), 32, "secret"),
                        (int) number(map.get("lanes"), 0, Bounds.MAX_LANES, "lanes"),
                        flag(map.get("clear"), "clear"),
                        map.get("rdma") == null ? 0 : (int) number(map.get("rdma"), 1, MAX_PORT, "port for RDMA"),
                        capabilities(map));
            case 5 -> new SessionMessage.Failed(count(map.get("code"), "exit code"), text(map.get("why"), "reason"));
            case 15 -> new SessionMessage.Warning(text(map.get("why"), "warning"));
            case 18 -> new SessionMessage.Heartbeat(size(map.get("heard"), "heard"));
            case 19 -> new SessionMessage.Leaving();
            case 20 ->
                new SessionMessage.Reattach(
                        Fields.exactBytes(map.get("session"), LaneHello.SESSION_ID_BYTES, "session"),
                        Fields.bytes(map.get("proof"), 64, "proof"),
                        size(map.get("heard"), "heard"));
            case 21 -> new SessionMessage.Reattached(size(map.get("heard"), "heard"));
            case 24 -> new SessionMessage.AskHost();
            case 25 -> new SessionMessage.HostTold(HostViewCodec.read(map));
            default -> null;
        };
    }

    /** None, from a peer of before there were any. */
    private static long capabilities(Map<String, @Nullable Object> map) throws IOException {
        Object bits = map.get("can");
        return bits == null ? 0 : size(bits, "capabilities");
    }
}
