package io.fdt.core.wire;

import static io.fdt.core.wire.Fields.at;
import static io.fdt.core.wire.Fields.count;
import static io.fdt.core.wire.Fields.flag;
import static io.fdt.core.wire.Fields.list;
import static io.fdt.core.wire.Fields.number;
import static io.fdt.core.wire.Fields.path;
import static io.fdt.core.wire.Fields.text;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fdt.core.FailureKind;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.HashKind;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.Cleaning;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.wire.VerifyMessage.VerifyName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The messages of a verification and of a listing as CBOR. */
final class VerifyCodec {
    private VerifyCodec() {}

    static void write(JsonGenerator json, VerifyMessage message) throws IOException {
        if (message instanceof VerifyMessage.OpenVerify m) {
            FieldWriter.code(json, 40);
            json.writeBinaryField("path", m.path().toBytes());
            json.writeNumberField("digest", (m.digest() instanceof DigestKind tree ? tree : DigestKind.NONE).code());
            if (m.digest() instanceof FileHash file) {
                json.writeNumberField("file", file.code());
            }
            json.writeBooleanField("device", m.device());
            json.writeBooleanField("named", m.named());
            json.writeBooleanField("single", m.single());
            json.writeNumberField("threads", m.threads());
            json.writeNumberField("timeout", m.timeoutMs());
        } else if (message instanceof VerifyMessage.VerifyNames m) {
            FieldWriter.code(json, 41);
            json.writeArrayFieldStart("names");
            for (VerifyName name : m.names()) {
                json.writeStartArray();
                json.writeBinary(name.path().toBytes());
                json.writeBoolean(name.directory());
                json.writeEndArray();
            }
            json.writeEndArray();
        } else if (message instanceof VerifyMessage.VerifyPage m) {
            FieldWriter.code(json, 42);
            json.writeArrayFieldStart("entries");
            for (CheckedEntry entry : m.entries()) {
                writeChecked(json, entry);
            }
            json.writeEndArray();
        } else if (message instanceof VerifyMessage.VerifyMore m) {
            FieldWriter.code(json, 43);
            json.writeNumberField("pages", m.pages());
        } else if (message instanceof VerifyMessage.VerifyEnd) {
            FieldWriter.code(json, 44);
        } else if (message instanceof VerifyMessage.OpenList m) {
            FieldWriter.code(json, 45);
            json.writeBinaryField("path", m.path().toBytes());
            json.writeBooleanField("recursive", m.recursive());
            json.writeBooleanField("space", m.space());
            json.writeNumberField("timeout", m.timeoutMs());
            Cleaning cleaning = m.cleaning();
            if (cleaning != null) {
                json.writeNumberField("older", cleaning.olderSeconds());
                json.writeBooleanField("dry", cleaning.dryRun());
            }
        } else if (message instanceof VerifyMessage.SpaceTold m) {
            FieldWriter.code(json, 46);
            json.writeBinaryField("path", m.path().toBytes());
            json.writeNumberField("freeBytes", m.freeBytes());
            json.writeNumberField("bytes", m.bytes());
            json.writeNumberField("freeFiles", m.freeFiles());
            json.writeNumberField("files", m.files());
        }
    }

    /** Null if the code is none of these. */
    static @Nullable VerifyMessage read(int code, Map<String, @Nullable Object> map) throws IOException {
        return switch (code) {
            case 40 -> readOpenVerify(map);
            case 41 -> readVerifyNames(map);
            case 42 -> readVerifyPage(map);
            case 43 ->
                new VerifyMessage.VerifyMore((int) number(map.get("pages"), 1, Bounds.MAX_VERIFY_PAGES, "pages"));
            case 44 -> new VerifyMessage.VerifyEnd();
            case 45 ->
                new VerifyMessage.OpenList(
                        path(map.get("path"), "path"),
                        flag(map.get("recursive"), "recursive"),
                        flag(map.get("space"), "space"),
                        number(map.get("timeout"), 100, Integer.MAX_VALUE, "timeout"),
                        map.get("older") == null
                                ? null
                                : new Cleaning(
                                        number(map.get("older"), 0, Long.MAX_VALUE, "age"),
                                        flag(map.get("dry"), "dry run")));
            case 46 ->
                new VerifyMessage.SpaceTold(
                        path(map.get("path"), "path"),
                        number(map.get("freeBytes"), -1, Long.MAX_VALUE, "free bytes"),
                        number(map.get("bytes"), -1, Long.MAX_VALUE, "bytes"),
                        number(map.get("freeFiles"), -1, Long.MAX_VALUE, "free files"),
                        number(map.get("files"), -1, Long.MAX_VALUE, "files"));
            default -> null;
        };
    }

    private static VerifyMessage readOpenVerify(Map<String, @Nullable Object> map) throws IOException {
        Object file = map.get("file");
        HashKind hash = file == null
                ? DigestKind.ofCode(count(map.get("digest"), "digest"))
                : FileHash.ofCode(count(file, "hash"));
        if (hash == null) {
            throw Fields.misfit("digest");
        }
        return new VerifyMessage.OpenVerify(
                path(map.get("path"), "path"),
                hash,
                flag(map.get("device"), "device"),
                flag(map.get("named"), "named"),
                flag(map.get("single"), "single"),
                (int) number(map.get("threads"), 1, Bounds.MAX_VERIFY_THREADS, "threads"),
                number(map.get("timeout"), 100, Integer.MAX_VALUE, "timeout"));
    }

    private static VerifyMessage readVerifyNames(Map<String, @Nullable Object> map) throws IOException {
        List<?> raw = list(map.get("names"), Bounds.MAX_PAGE_ENTRIES, "names");
        List<VerifyName> names = new ArrayList<>(raw.size());
        for (Object each : raw) {
            List<?> fields = list(each, 16, "name");
            names.add(new VerifyName(path(at(fields, 0), "name"), flag(at(fields, 1), "name")));
        }
        return new VerifyMessage.VerifyNames(names);
    }

    /** The path stands by itself only where no entry has it. */
    private static void writeChecked(JsonGenerator json, CheckedEntry checked) throws IOException {
        json.writeStartArray();
        FileEntry entry = checked.entry();
        if (entry == null) {
            json.writeBinary(checked.path().toBytes());
        } else {
            EntryCodec.write(json, entry);
        }
        json.writeBinary(checked.digest());
        FailureKind failure = checked.failure();
        if (failure != null) {
            json.writeNumber(failure.exitCode());
            json.writeString(FieldWriter.clipped(String.valueOf(checked.reason())));
        }
        json.writeEndArray();
    }

    private static VerifyMessage readVerifyPage(Map<String, @Nullable Object> map) throws IOException {
        List<?> raw = list(map.get("entries"), Bounds.MAX_PAGE_ENTRIES, "entries");
        List<CheckedEntry> entries = new ArrayList<>(raw.size());
        for (Object each : raw) {
            List<?> fields = list(each, 16, "entry");
            Object first = at(fields, 0);
            FileEntry entry = first instanceof List<?> list ? EntryCodec.read(list(list, 64, "entry")) : null;
            Object code = at(fields, 2);
            entries.add(new CheckedEntry(
                    entry == null ? path(first, "path") : entry.path(),
                    entry,
                    Fields.bytes(at(fields, 1), DigestKind.MAX_BYTES, "digest"),
                    code == null ? null : FailureKind.ofExitCode(count(code, "exit code")),
                    code == null ? null : text(at(fields, 3), "reason")));
        }
        return new VerifyMessage.VerifyPage(entries);
    }
}
