package io.fdt.core.wire;

import static io.fdt.core.wire.Fields.at;
import static io.fdt.core.wire.Fields.choice;
import static io.fdt.core.wire.Fields.count;
import static io.fdt.core.wire.Fields.exactBytes;
import static io.fdt.core.wire.Fields.flag;
import static io.fdt.core.wire.Fields.list;
import static io.fdt.core.wire.Fields.number;
import static io.fdt.core.wire.Fields.size;
import static io.fdt.core.wire.Fields.text;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fdt.core.wire.ErrandMessage.ErrandEnded;
import io.fdt.core.wire.ErrandMessage.ErrandProgress;
import io.fdt.core.wire.ErrandMessage.FileEnd;
import io.fdt.core.wire.ErrandMessage.OpenErrand;
import io.fdt.core.wire.ErrandMessage.ToldFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The messages of a copy between two servers as CBOR. */
@SuppressWarnings("EnumOrdinal") // ControlCodecTest pins the order of every enum that travels
final class ErrandCodec {
    private static final int SECRET_BYTES = 32;
    private static final int FINGERPRINT_BYTES = 32;
    private static final int MAX_PORT = 65_535;

    private ErrandCodec() {}

    static void write(JsonGenerator json, ErrandMessage message) throws IOException {
        if (message instanceof ErrandMessage.OpenDelegation m) {
            FieldWriter.code(json, 50);
            TransferCodec.writeRequest(json, m.request());
        } else if (message instanceof ErrandMessage.Delegated m) {
            FieldWriter.code(json, 51);
            json.writeStringField("key", m.keyId());
            json.writeBinaryField("secret", m.secret());
        } else if (message instanceof OpenErrand m) {
            FieldWriter.code(json, 52);
            TransferCodec.writeRequest(json, m.request());
            json.writeStringField("host", m.host());
            json.writeNumberField("port", m.port());
            json.writeBinaryField("pin", m.fingerprint());
            json.writeStringField("key", m.keyId());
            json.writeBinaryField("secret", m.secret());
            json.writeNumberField("entries", m.maxEntries());
            json.writeNumberField("bytes", m.maxBytes());
        } else if (message instanceof ErrandMessage.ErrandStarted m) {
            FieldWriter.code(json, 53);
            json.writeStringField("session", m.session());
            json.writeNumberField("lanes", m.lanes());
            json.writeStringField("transport", FieldWriter.clipped(m.transport()));
            json.writeStringField("peer", FieldWriter.clipped(m.peer()));
        } else if (message instanceof ErrandProgress m) {
            FieldWriter.code(json, 54);
            json.writeNumberField("total", m.bytesTotal());
            json.writeNumberField("done", m.bytesDone());
            json.writeNumberField("moved", m.bytesMoved());
            json.writeNumberField("sent", m.bytesSent());
            json.writeNumberField("files", m.filesTotal());
            json.writeNumberField("placed", m.filesDone());
            json.writeNumberField("failed", m.filesFailed());
            json.writeNumberField("skipped", m.filesSkipped());
            json.writeNumberField("lanes", m.lanes());
            json.writeBooleanField("final", m.totalsFinal());
        } else if (message instanceof ErrandMessage.ErrandFiles m) {
            FieldWriter.code(json, 55);
            json.writeArrayFieldStart("files");
            for (ToldFile file : m.files()) {
                writeFile(json, file);
            }
            json.writeEndArray();
        } else if (message instanceof ErrandMessage.ErrandFilesHeard m) {
            FieldWriter.code(json, 56);
            json.writeNumberField("pages", m.pages());
        } else if (message instanceof ErrandEnded m) {
            FieldWriter.code(json, 57);
            writeEnd(json, m);
        }
    }

    private static void writeFile(JsonGenerator json, ToldFile file) throws IOException {
        json.writeStartArray();
        json.writeString(shown(file.path()));
        json.writeNumber(file.end().ordinal());
        json.writeNumber(file.sizeBytes());
        String reason = file.reason();
        if (reason != null) {
            json.writeNumber(file.exitCode());
            json.writeString(FieldWriter.clipped(reason));
        }
        json.writeEndArray();
    }

    private static void writeEnd(JsonGenerator json, ErrandEnded m) throws IOException {
        json.writeNumberField("code", m.exitCode());
        String why = m.message();
        if (why != null) {
            json.writeStringField("why", FieldWriter.clipped(why));
        }
        json.writeNumberField("files", m.files());
        json.writeNumberField("bytes", m.bytes());
        json.writeNumberField("moved", m.bytesMoved());
        json.writeNumberField("sent", m.bytesSent());
        json.writeNumberField("resumed", m.bytesResumed());
        json.writeNumberField("resent", m.bytesResent());
        json.writeNumberField("skipped", m.filesSkipped());
        json.writeNumberField("failed", m.filesFailed());
        json.writeNumberField("lanes", m.lanes());
        json.writeNumberField("replaced", m.lanesReplaced());
        String digest = m.digest();
        if (digest != null) {
            json.writeStringField("digest", FieldWriter.clipped(digest));
        }
        json.writeStringField("limit", FieldWriter.clipped(m.bottleneck()));
        json.writeStringField("session", m.session());
    }

    private static String shown(String path) {
        return path.length() <= Bounds.MAX_SHOWN_PATH_CHARS ? path : path.substring(0, Bounds.MAX_SHOWN_PATH_CHARS);
    }

    /** Null if the code is none of these. */
    static @Nullable ErrandMessage read(int code, Map<String, @Nullable Object> map) throws IOException {
        return switch (code) {
            case 50 -> new ErrandMessage.OpenDelegation(TransferCodec.readRequest(map));
            case 51 ->
                new ErrandMessage.Delegated(
                        text(map.get("key"), Bounds.MAX_NAME_CHARS, "key"),
                        exactBytes(map.get("secret"), SECRET_BYTES, "secret"));
            case 52 ->
                new OpenErrand(
                        TransferCodec.readRequest(map),
                        text(map.get("host"), Bounds.MAX_HOST_CHARS, "host"),
                        (int) number(map.get("port"), 1, MAX_PORT, "port"),
                        exactBytes(map.get("pin"), FINGERPRINT_BYTES, "fingerprint"),
                        text(map.get("key"), Bounds.MAX_NAME_CHARS, "key"),
                        exactBytes(map.get("secret"), SECRET_BYTES, "secret"),
                        size(map.get("entries"), "entries"),
                        size(map.get("bytes"), "bytes"));
            case 53 ->
                new ErrandMessage.ErrandStarted(
                        text(map.get("session"), Bounds.MAX_NAME_CHARS, "session"),
                        lanes(map),
                        text(map.get("transport"), "transport"),
                        text(map.get("peer"), "peer"));
            case 54 ->
                new ErrandProgress(
                        number(map.get("total"), -1, Long.MAX_VALUE, "bytes"),
                        size(map.get("done"), "bytes"),
                        size(map.get("moved"), "bytes"),
                        size(map.getOrDefault("sent", map.get("moved")), "sent"),
                        size(map.get("files"), "files"),
                        size(map.get("placed"), "files"),
                        size(map.get("failed"), "failed"),
                        size(map.get("skipped"), "skipped"),
                        lanes(map),
                        flag(map.get("final"), "totals"));
            case 55 -> readFiles(map);
            case 56 ->
                new ErrandMessage.ErrandFilesHeard(
                        (int) number(map.get("pages"), 1, Bounds.MAX_TOLD_PAGES + 1, "pages"));
            case 57 -> readEnd(map);
            default -> null;
        };
    }

    private static int lanes(Map<String, @Nullable Object> map) throws IOException {
        return (int) number(map.get("lanes"), 0, Bounds.MAX_LANES, "lanes");
    }

    private static ErrandMessage readFiles(Map<String, @Nullable Object> map) throws IOException {
        List<?> raw = list(map.get("files"), Bounds.MAX_TOLD_FILES, "files");
        List<ToldFile> files = new ArrayList<>(raw.size());
        for (Object each : raw) {
            List<?> fields = list(each, 16, "file");
            Object code = at(fields, 3);
            files.add(new ToldFile(
                    text(at(fields, 0), Bounds.MAX_SHOWN_PATH_CHARS, "path"),
                    choice(at(fields, 1), FileEnd.values(), "outcome"),
                    size(at(fields, 2), "size"),
                    code == null ? 0 : count(code, "exit code"),
                    code == null ? null : text(at(fields, 4), "reason")));
        }
        return new ErrandMessage.ErrandFiles(files);
    }

    private static ErrandMessage readEnd(Map<String, @Nullable Object> map) throws IOException {
        Object why = map.get("why");
        Object digest = map.get("digest");
        return new ErrandEnded(
                count(map.get("code"), "exit code"),
                why == null ? null : text(why, "reason"),
                size(map.get("files"), "files"),
                size(map.get("bytes"), "bytes"),
                size(map.getOrDefault("moved", map.get("sent")), "moved"),
                size(map.get("sent"), "sent"),
                size(map.get("resumed"), "resumed"),
                size(map.get("resent"), "resent"),
                size(map.get("skipped"), "skipped"),
                size(map.get("failed"), "failed"),
                lanes(map),
                size(map.get("replaced"), "replaced"),
                digest == null ? null : text(digest, "digest"),
                text(map.get("limit"), "limit"),
                text(map.get("session"), Bounds.MAX_NAME_CHARS, "session"));
    }
}
