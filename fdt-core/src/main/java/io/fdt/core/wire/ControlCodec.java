package io.fdt.core.wire;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Control messages as CBOR: a map with the message's code under {@code t} and its fields under short names. Lists that
 * can be long hold positional arrays. Decoding bounds every value and throws a {@link TransferException} for
 * whatever does not fit; it never throws anything else, whatever the bytes are.
 */
public final class ControlCodec {
    private ControlCodec() {}

    public static byte[] encode(ControlMessage message) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(256);
        try (JsonGenerator json = CborReader.FACTORY.createGenerator(out)) {
            json.writeStartObject();
            write(json, message);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("memory cannot fail to be written", e);
        }
        return out.toByteArray();
    }

    /** @param peer whom to name in the failure */
    public static ControlMessage decode(byte[] bytes, String peer) {
        try {
            Map<String, @Nullable Object> map = Fields.map(CborReader.read(bytes), "message");
            return read(map);
        } catch (JsonProcessingException e) {
            throw malformed(peer, e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw malformed(peer, e.getMessage(), e);
        }
    }

    private static TransferException malformed(String peer, @Nullable String why, Exception cause) {
        return new TransferException(FailureKind.VERSION, "malformed control message from " + peer + ": " + why, cause);
    }

    private static void write(JsonGenerator json, ControlMessage message) throws IOException {
        if (message instanceof SessionMessage m) {
            SessionCodec.write(json, m);
        } else if (message instanceof TransferMessage m) {
            TransferCodec.write(json, m);
        } else if (message instanceof VerifyMessage m) {
            VerifyCodec.write(json, m);
        } else if (message instanceof ErrandMessage m) {
            ErrandCodec.write(json, m);
        } else if (message instanceof NettestMessage m) {
            NettestCodec.write(json, m);
        }
    }

    private static ControlMessage read(Map<String, @Nullable Object> map) throws IOException {
        int code = Fields.count(map.get("t"), "message code");
        ControlMessage message = SessionCodec.read(code, map);
        if (message == null) {
            message = TransferCodec.read(code, map);
        }
        if (message == null) {
            message = VerifyCodec.read(code, map);
        }
        if (message == null) {
            message = ErrandCodec.read(code, map);
        }
        if (message == null) {
            message = NettestCodec.read(code, map);
        }
        if (message == null) {
            throw new IOException("unknown message code " + code);
        }
        return message;
    }
}
