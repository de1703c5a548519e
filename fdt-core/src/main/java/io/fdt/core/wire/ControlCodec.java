package io.fdt.core.wire;

import static io.fdt.core.wire.Fields.choice;
import static io.fdt.core.wire.Fields.count;
import static io.fdt.core.wire.Fields.flag;
import static io.fdt.core.wire.Fields.list;
import static io.fdt.core.wire.Fields.number;
import static io.fdt.core.wire.Fields.path;
import static io.fdt.core.wire.Fields.size;
import static io.fdt.core.wire.Fields.text;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.SourceSelection;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.wire.ControlMessage.Verdict;
import io.fdt.core.wire.ControlMessage.VerdictKind;
import io.fdt.core.wire.ControlMessage.VerifyName;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Control messages as CBOR: a map with the message's code under {@code t} and its fields under short names. Lists that
 * can be long hold positional arrays. Decoding bounds every value and throws a {@link TransferException} for
 * whatever does not fit; it never throws anything else, whatever the bytes are.
 */
@SuppressWarnings("EnumOrdinal") // ControlCodecTest pins the order of every enum that travels
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
        if (message instanceof ControlMessage.Challenge m) {
            code(json, 1);
            json.writeStringField("software", m.software());
            json.writeBinaryField("nonce", m.nonce());
        } else if (message instanceof ControlMessage.Authenticate m) {
            code(json, 2);
            json.writeStringField("key", m.keyId());
            json.writeBinaryField("proof", m.proof());
            json.writeStringField("software", m.software());
        } else if (message instanceof ControlMessage.OpenTransfer m) {
            code(json, 3);
            writeOpen(json, m);
        } else if (message instanceof ControlMessage.Opened m) {
            code(json, 4);
            json.writeBinaryField("session", m.sessionId());
            json.writeBinaryField("secret", m.secret());
            json.writeNumberField("lanes", m.lanes());
            json.writeBooleanField("clear", m.clearLanes());
        } else if (message instanceof ControlMessage.Failed m) {
            code(json, 5);
            json.writeNumberField("code", m.exitCode());
            json.writeStringField("why", clipped(m.message()));
        } else if (message instanceof ControlMessage.SourceShape m) {
            code(json, 6);
            json.writeBooleanField("single", m.singleFile());
        } else if (message instanceof ControlMessage.ManifestPage m) {
            code(json, 7);
            json.writeNumberField("first", m.firstId());
            json.writeArrayFieldStart("entries");
            for (FileEntry entry : m.entries()) {
                writeEntry(json, entry);
            }
            json.writeEndArray();
        } else if (message instanceof ControlMessage.Verdicts m) {
            code(json, 8);
            json.writeNumberField("first", m.firstId());
            json.writeNumberField("count", m.count());
            json.writeArrayFieldStart("except");
            for (Verdict verdict : m.exceptions()) {
                writeVerdict(json, verdict);
            }
            json.writeEndArray();
        } else if (message instanceof ControlMessage.SourceFailed m) {
            code(json, 9);
            json.writeNumberField("file", m.fileId());
            json.writeBinaryField("path", m.path().toBytes());
            json.writeNumberField("code", m.exitCode());
            json.writeStringField("why", clipped(m.reason()));
        } else if (message instanceof ControlMessage.StreamEnded m) {
            code(json, 10);
            json.writeNumberField("file", m.fileId());
            json.writeNumberField("size", m.sizeBytes());
        } else if (message instanceof ControlMessage.Acknowledged m) {
            code(json, 11);
            writeInts(json, "files", m.fileIds());
            json.writeFieldName("offsets");
            json.writeArray(m.offsets(), 0, m.offsets().length);
        } else if (message instanceof ControlMessage.SendAgain m) {
            code(json, 12);
            json.writeNumberField("file", m.fileId());
            json.writeNumberField("offset", m.offset());
            json.writeNumberField("attempt", m.attempt());
        } else if (message instanceof ControlMessage.FilesDone m) {
            code(json, 13);
            writeInts(json, "files", m.fileIds());
            json.writeBinaryField("digests", m.digests());
        } else if (message instanceof ControlMessage.FileFailed m) {
            code(json, 14);
            json.writeNumberField("file", m.fileId());
            json.writeNumberField("code", m.exitCode());
            json.writeStringField("why", clipped(m.reason()));
        } else if (message instanceof ControlMessage.Warning m) {
            code(json, 15);
            json.writeStringField("why", clipped(m.message()));
        } else if (message instanceof ControlMessage.Finish m) {
            code(json, 16);
            json.writeNumberField("sent", m.bytesSent());
            json.writeNumberField("resent", m.bytesResent());
            json.writeStringField("limit", m.senderLimit());
            json.writeNumberField("percent", m.senderLimitPercent());
        } else if (message instanceof ControlMessage.Finished m) {
            code(json, 17);
            json.writeNumberField("files", m.files());
            json.writeNumberField("bytes", m.bytes());
            json.writeNumberField("resumed", m.bytesResumed());
            json.writeNumberField("skipped", m.filesSkipped());
            json.writeNumberField("failed", m.filesFailed());
            json.writeStringField("digest", m.digest());
            json.writeStringField("limit", m.receiverLimit());
            json.writeNumberField("percent", m.receiverLimitPercent());
        } else if (message instanceof ControlMessage.Heartbeat m) {
            code(json, 18);
            json.writeNumberField("heard", m.heard());
        } else if (message instanceof ControlMessage.Leaving) {
            code(json, 19);
        } else if (message instanceof ControlMessage.Reattach m) {
            code(json, 20);
            json.writeBinaryField("session", m.sessionId());
            json.writeBinaryField("proof", m.proof());
            json.writeNumberField("heard", m.heard());
        } else if (message instanceof ControlMessage.LanesBusy m) {
            code(json, 22);
            writeInts(json, "lanes", m.lanes());
        } else if (message instanceof ControlMessage.SourceNames m) {
            code(json, 23);
            writePaths(json, "names", m.names());
        } else if (message instanceof ControlMessage.Reattached m) {
            code(json, 21);
            json.writeNumberField("heard", m.heard());
        } else if (message instanceof ControlMessage.OpenVerify m) {
            code(json, 40);
            json.writeBinaryField("path", m.path().toBytes());
            json.writeNumberField("digest", m.digest().code());
            json.writeBooleanField("device", m.device());
            json.writeBooleanField("named", m.named());
            json.writeBooleanField("single", m.single());
            json.writeNumberField("threads", m.threads());
            json.writeNumberField("timeout", m.timeoutMs());
        } else if (message instanceof ControlMessage.VerifyNames m) {
            code(json, 41);
            json.writeArrayFieldStart("names");
            for (VerifyName name : m.names()) {
                json.writeStartArray();
                json.writeBinary(name.path().toBytes());
                json.writeBoolean(name.directory());
                json.writeEndArray();
            }
            json.writeEndArray();
        } else if (message instanceof ControlMessage.VerifyPage m) {
            code(json, 42);
            json.writeArrayFieldStart("entries");
            for (CheckedEntry entry : m.entries()) {
                writeChecked(json, entry);
            }
            json.writeEndArray();
        } else if (message instanceof ControlMessage.VerifyMore m) {
            code(json, 43);
            json.writeNumberField("pages", m.pages());
        } else if (message instanceof ControlMessage.VerifyEnd) {
            code(json, 44);
        }
    }

    private static ControlMessage read(Map<String, @Nullable Object> map) throws IOException {
        int code = count(map.get("t"), "message code");
        return switch (code) {
            case 1 ->
                new ControlMessage.Challenge(
                        text(map.get("software"), "software"), Fields.bytes(map.get("nonce"), 64, "nonce"));
            case 2 ->
                new ControlMessage.Authenticate(
                        text(map.get("key"), "key"),
                        Fields.bytes(map.get("proof"), 64, "proof"),
                        text(map.get("software"), "software"));
            case 3 -> readOpen(map);
            case 4 ->
                new ControlMessage.Opened(
                        Fields.exactBytes(map.get("session"), LaneHello.SESSION_ID_BYTES, "session"),
                        Fields.exactBytes(map.get("secret"), 32, "secret"),
                        (int) number(map.get("lanes"), 0, Bounds.MAX_LANES, "lanes"),
                        flag(map.get("clear"), "clear"));
            case 5 -> new ControlMessage.Failed(count(map.get("code"), "exit code"), text(map.get("why"), "reason"));
            case 6 -> new ControlMessage.SourceShape(flag(map.get("single"), "single"));
            case 7 -> readPage(map);
            case 8 -> readVerdicts(map);
            case 9 ->
                new ControlMessage.SourceFailed(
                        (int) number(map.get("file"), -1, Integer.MAX_VALUE, "file"),
                        path(map.get("path"), "path"),
                        count(map.get("code"), "exit code"),
                        text(map.get("why"), "reason"));
            case 10 -> new ControlMessage.StreamEnded(count(map.get("file"), "file"), size(map.get("size"), "size"));
            case 11 -> readAcknowledged(map);
            case 12 ->
                new ControlMessage.SendAgain(
                        count(map.get("file"), "file"),
                        size(map.get("offset"), "offset"),
                        count(map.get("attempt"), "attempt"));
            case 13 ->
                new ControlMessage.FilesDone(
                        ints(map.get("files"), "files"),
                        Fields.bytes(map.get("digests"), Bounds.MAX_MESSAGE_BYTES, "digests"));
            case 14 ->
                new ControlMessage.FileFailed(
                        count(map.get("file"), "file"),
                        count(map.get("code"), "exit code"),
                        text(map.get("why"), "reason"));
            case 15 -> new ControlMessage.Warning(text(map.get("why"), "warning"));
            case 16 ->
                new ControlMessage.Finish(
                        size(map.get("sent"), "sent"),
                        size(map.get("resent"), "resent"),
                        text(map.get("limit"), "limit"),
                        (int) number(map.get("percent"), 0, 100, "percent"));
            case 17 ->
                new ControlMessage.Finished(
                        size(map.get("files"), "files"),
                        size(map.get("bytes"), "bytes"),
                        size(map.get("resumed"), "resumed"),
                        size(map.get("skipped"), "skipped"),
                        size(map.get("failed"), "failed"),
                        map.get("digest") == null ? null : text(map.get("digest"), "digest"),
                        text(map.get("limit"), "limit"),
                        (int) number(map.get("percent"), 0, 100, "percent"));
            case 18 -> new ControlMessage.Heartbeat(size(map.get("heard"), "heard"));
            case 19 -> new ControlMessage.Leaving();
            case 20 ->
                new ControlMessage.Reattach(
                        Fields.exactBytes(map.get("session"), LaneHello.SESSION_ID_BYTES, "session"),
                        Fields.bytes(map.get("proof"), 64, "proof"),
                        size(map.get("heard"), "heard"));
            case 21 -> new ControlMessage.Reattached(size(map.get("heard"), "heard"));
            case 22 -> new ControlMessage.LanesBusy(ints(map.get("lanes"), "lanes"));
            case 23 -> new ControlMessage.SourceNames(paths(map.get("names"), Bounds.MAX_LIST, "names"));
            case 40 -> readOpenVerify(map);
            case 41 -> readVerifyNames(map);
            case 42 -> readVerifyPage(map);
            case 43 ->
                new ControlMessage.VerifyMore((int) number(map.get("pages"), 1, Bounds.MAX_VERIFY_PAGES, "pages"));
            case 44 -> new ControlMessage.VerifyEnd();
            default -> throw new IOException("unknown message code " + code);
        };
    }

    private static void code(JsonGenerator json, int code) throws IOException {
        json.writeNumberField("t", code);
    }

    private static String clipped(String text) {
        return text.length() <= Bounds.MAX_TEXT_CHARS ? text : text.substring(0, Bounds.MAX_TEXT_CHARS);
    }

    private static void writeInts(JsonGenerator json, String name, int[] values) throws IOException {
        json.writeFieldName(name);
        json.writeArray(values, 0, values.length);
    }

    private static void writeOpen(JsonGenerator json, ControlMessage.OpenTransfer m) throws IOException {
        json.writeNumberField("direction", m.direction().ordinal());
        writePaths(json, "sources", m.selection().sources());
        List<RawPath> names = m.selection().names();
        if (names != null) {
            writePaths(json, "names", names);
        }
        json.writeArrayFieldStart("filters");
        for (PathRule rule : m.selection().rules()) {
            json.writeStartArray();
            json.writeBoolean(rule.include());
            json.writeBinary(rule.glob().toBytes());
            json.writeEndArray();
        }
        json.writeEndArray();
        json.writeBinaryField("target", m.target().toBytes());
        json.writeNumberField("existing", m.rules().existing().ordinal());
        json.writeBooleanField("compare", m.rules().compareDigest());
        json.writeNumberField("durable", m.rules().durability().ordinal());
        json.writeBooleanField("resume", m.rules().resume());
        long preserve = 0;
        for (TargetRules.Preserve each : m.rules().preserve()) {
            preserve |= 1L << each.ordinal();
        }
        json.writeNumberField("preserve", preserve);
        json.writeNumberField("size", m.sizeBytes());
        json.writeNumberField("duration", m.durationNanos());
        json.writeNumberField("lanes", m.lanes());
        json.writeNumberField("digest", m.digest().code());
        json.writeBooleanField("clear", m.clearLanes());
        json.writeNumberField("rate", m.rateBitsPerSecond());
        json.writeBooleanField("dry", m.dryRun());
        json.writeNumberField("chunk", m.chunkBytes());
        json.writeNumberField("timeout", m.timeoutMs());
    }

    private static ControlMessage readOpen(Map<String, @Nullable Object> map) throws IOException {
        List<PathRule> rules = new ArrayList<>();
        for (Object each : list(map.get("filters"), Bounds.MAX_RULES, "filters")) {
            List<?> pair = list(each, 16, "filter");
            rules.add(new PathRule(flag(at(pair, 0), "filter"), path(at(pair, 1), "filter")));
        }
        Object names = map.get("names");
        SourceSelection selection = new SourceSelection(
                paths(map.get("sources"), Bounds.MAX_SOURCES, "sources"),
                names == null ? null : paths(names, Bounds.MAX_LIST, "names"),
                rules);
        long preserveBits = size(map.get("preserve"), "preserve");
        Set<TargetRules.Preserve> preserve = EnumSet.noneOf(TargetRules.Preserve.class);
        for (TargetRules.Preserve each : TargetRules.Preserve.values()) {
            if ((preserveBits >>> each.ordinal() & 1) != 0) {
                preserve.add(each);
            }
        }
        TargetRules targetRules = new TargetRules(
                choice(map.get("existing"), TargetRules.Existing.values(), "existing"),
                flag(map.get("compare"), "compare"),
                choice(map.get("durable"), TargetRules.Durability.values(), "durable"),
                flag(map.get("resume"), "resume"),
                preserve);
        DigestKind digest = DigestKind.ofCode(count(map.get("digest"), "digest"));
        int chunkBytes = (int) number(map.get("chunk"), TreeDigest.LEAF_BYTES, Bounds.MAX_CHUNK_BYTES, "chunk size");
        if (digest == null || Integer.bitCount(chunkBytes) != 1) {
            throw Fields.misfit("digest or chunk size");
        }
        return new ControlMessage.OpenTransfer(
                choice(map.get("direction"), Direction.values(), "direction"),
                selection,
                path(map.get("target"), "target"),
                targetRules,
                number(map.get("size"), -1, Long.MAX_VALUE, "size"),
                number(map.get("duration"), -1, Long.MAX_VALUE, "duration"),
                (int) number(map.get("lanes"), 1, Bounds.MAX_LANES, "lanes"),
                digest,
                flag(map.get("clear"), "clear"),
                size(map.get("rate"), "rate"),
                flag(map.get("dry"), "dry run"),
                chunkBytes,
                number(map.get("timeout"), 100, Integer.MAX_VALUE, "timeout"));
    }

    private static void writeEntry(JsonGenerator json, FileEntry entry) throws IOException {
        json.writeStartArray();
        json.writeBinary(entry.path().toBytes());
        json.writeNumber(entry.kind().code());
        json.writeNumber(entry.sizeBytes());
        json.writeNumber(entry.mode());
        json.writeNumber(entry.modifiedSeconds());
        json.writeNumber(entry.modifiedNanos());
        json.writeNumber(Integer.toUnsignedLong(entry.uid()));
        json.writeNumber(Integer.toUnsignedLong(entry.gid()));
        json.writeBoolean(entry.sparse());
        RawPath link = entry.linkTarget();
        if (link == null) {
            json.writeNull();
        } else {
            json.writeBinary(link.toBytes());
        }
        json.writeStartArray();
        for (FileEntry.Attribute attribute : entry.attributes()) {
            json.writeBinary(attribute.name().toBytes());
            json.writeBinary(attribute.value());
        }
        json.writeEndArray();
        json.writeEndArray();
    }

    private static ControlMessage readPage(Map<String, @Nullable Object> map) throws IOException {
        int first = count(map.get("first"), "first entry");
        List<?> raw = list(map.get("entries"), Bounds.MAX_PAGE_ENTRIES, "entries");
        if (first > Integer.MAX_VALUE - raw.size()) {
            throw Fields.misfit("first entry");
        }
        List<FileEntry> entries = new ArrayList<>(raw.size());
        for (Object each : raw) {
            entries.add(readEntry(list(each, 64, "entry")));
        }
        return new ControlMessage.ManifestPage(first, entries);
    }

    private static FileEntry readEntry(List<?> fields) throws IOException {
        FileEntry.Kind kind = FileEntry.Kind.ofCode(count(at(fields, 1), "kind"));
        Object link = at(fields, 9);
        if (kind == null || (kind == FileEntry.Kind.LINK) != (link != null)) {
            throw Fields.misfit("kind");
        }
        long minSize = kind == FileEntry.Kind.STREAM ? FileEntry.UNKNOWN_SIZE : 0;
        List<?> raw = list(at(fields, 10), 2 * Bounds.MAX_ATTRIBUTES, "attributes");
        List<FileEntry.Attribute> attributes = new ArrayList<>(raw.size() / 2);
        for (int i = 0; i + 1 < raw.size(); i += 2) {
            attributes.add(new FileEntry.Attribute(
                    path(raw.get(i), "attribute"),
                    Fields.bytes(raw.get(i + 1), Bounds.MAX_ATTRIBUTE_BYTES, "attribute")));
        }
        return new FileEntry(
                path(at(fields, 0), "path"),
                kind,
                number(at(fields, 2), minSize, Long.MAX_VALUE, "size"),
                (int) number(at(fields, 3), 0, 07777, "mode"),
                number(at(fields, 4), Long.MIN_VALUE, Long.MAX_VALUE, "time"),
                (int) number(at(fields, 5), 0, 999_999_999, "time"),
                (int) number(at(fields, 6), 0, 0xFFFFFFFFL, "owner"),
                (int) number(at(fields, 7), 0, 0xFFFFFFFFL, "group"),
                flag(at(fields, 8), "sparse"),
                link == null ? null : path(link, "link"),
                attributes);
    }

    private static ControlMessage readOpenVerify(Map<String, @Nullable Object> map) throws IOException {
        DigestKind digest = DigestKind.ofCode(count(map.get("digest"), "digest"));
        if (digest == null) {
            throw Fields.misfit("digest");
        }
        return new ControlMessage.OpenVerify(
                path(map.get("path"), "path"),
                digest,
                flag(map.get("device"), "device"),
                flag(map.get("named"), "named"),
                flag(map.get("single"), "single"),
                (int) number(map.get("threads"), 1, Bounds.MAX_VERIFY_THREADS, "threads"),
                number(map.get("timeout"), 100, Integer.MAX_VALUE, "timeout"));
    }

    private static ControlMessage readVerifyNames(Map<String, @Nullable Object> map) throws IOException {
        List<?> raw = list(map.get("names"), Bounds.MAX_PAGE_ENTRIES, "names");
        List<VerifyName> names = new ArrayList<>(raw.size());
        for (Object each : raw) {
            List<?> fields = list(each, 16, "name");
            names.add(new VerifyName(path(at(fields, 0), "name"), flag(at(fields, 1), "name")));
        }
        return new ControlMessage.VerifyNames(names);
    }

    /** The path stands by itself only where no entry has it. */
    private static void writeChecked(JsonGenerator json, CheckedEntry checked) throws IOException {
        json.writeStartArray();
        FileEntry entry = checked.entry();
        if (entry == null) {
            json.writeBinary(checked.path().toBytes());
        } else {
            writeEntry(json, entry);
        }
        json.writeBinary(checked.digest());
        FailureKind failure = checked.failure();
        if (failure != null) {
            json.writeNumber(failure.exitCode());
            json.writeString(clipped(String.valueOf(checked.reason())));
        }
        json.writeEndArray();
    }

    private static ControlMessage readVerifyPage(Map<String, @Nullable Object> map) throws IOException {
        List<?> raw = list(map.get("entries"), Bounds.MAX_PAGE_ENTRIES, "entries");
        List<CheckedEntry> entries = new ArrayList<>(raw.size());
        for (Object each : raw) {
            List<?> fields = list(each, 16, "entry");
            Object first = at(fields, 0);
            FileEntry entry = first instanceof List<?> list ? readEntry(list(list, 64, "entry")) : null;
            Object code = at(fields, 2);
            entries.add(new CheckedEntry(
                    entry == null ? path(first, "path") : entry.path(),
                    entry,
                    Fields.bytes(at(fields, 1), DigestKind.MAX_BYTES, "digest"),
                    code == null ? null : FailureKind.ofExitCode(count(code, "exit code")),
                    code == null ? null : text(at(fields, 3), "reason")));
        }
        return new ControlMessage.VerifyPage(entries);
    }

    private static void writeVerdict(JsonGenerator json, Verdict verdict) throws IOException {
        json.writeStartArray();
        json.writeNumber(verdict.fileId());
        json.writeNumber(verdict.kind().ordinal());
        json.writeStartArray();
        for (Range range : verdict.missing()) {
            json.writeNumber(range.offset());
            json.writeNumber(range.lengthBytes());
        }
        json.writeEndArray();
        json.writeNumber(verdict.exitCode());
        json.writeString(clipped(verdict.reason()));
        json.writeEndArray();
    }

    private static ControlMessage readVerdicts(Map<String, @Nullable Object> map) throws IOException {
        List<Verdict> exceptions = new ArrayList<>();
        for (Object each : list(map.get("except"), Bounds.MAX_PAGE_ENTRIES, "verdicts")) {
            List<?> fields = list(each, 16, "verdict");
            exceptions.add(new Verdict(
                    count(at(fields, 0), "file"),
                    choice(at(fields, 1), VerdictKind.values(), "verdict"),
                    ranges(at(fields, 2)),
                    count(at(fields, 3), "exit code"),
                    text(at(fields, 4), "reason")));
        }
        return new ControlMessage.Verdicts(
                count(map.get("first"), "first entry"),
                (int) number(map.get("count"), 0, Bounds.MAX_PAGE_ENTRIES, "count"),
                exceptions);
    }

    /** Ranges in order, none empty, none overlapping. */
    private static List<Range> ranges(@Nullable Object value) throws IOException {
        List<?> raw = list(value, 2 * Bounds.MAX_LIST, "ranges");
        List<Range> ranges = new ArrayList<>(raw.size() / 2);
        long end = 0;
        for (int i = 0; i + 1 < raw.size(); i += 2) {
            long offset = number(raw.get(i), end, Long.MAX_VALUE, "range");
            long length = number(raw.get(i + 1), 1, Long.MAX_VALUE - offset, "range");
            if (offset % TreeDigest.LEAF_BYTES != 0) {
                throw Fields.misfit("range");
            }
            ranges.add(new Range(offset, length));
            end = offset + length;
        }
        return ranges;
    }

    private static ControlMessage readAcknowledged(Map<String, @Nullable Object> map) throws IOException {
        int[] files = ints(map.get("files"), "files");
        List<?> raw = list(map.get("offsets"), Bounds.MAX_LIST, "offsets");
        if (raw.size() != files.length) {
            throw Fields.misfit("offsets");
        }
        long[] offsets = new long[files.length];
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = size(raw.get(i), "offset");
        }
        return new ControlMessage.Acknowledged(files, offsets);
    }

    private static void writePaths(JsonGenerator json, String name, List<RawPath> paths) throws IOException {
        json.writeArrayFieldStart(name);
        for (RawPath each : paths) {
            json.writeBinary(each.toBytes());
        }
        json.writeEndArray();
    }

    private static List<RawPath> paths(@Nullable Object value, int max, String what) throws IOException {
        List<?> raw = list(value, max, what);
        List<RawPath> paths = new ArrayList<>(raw.size());
        for (Object each : raw) {
            paths.add(path(each, what));
        }
        return paths;
    }

    private static int[] ints(@Nullable Object value, String what) throws IOException {
        List<?> raw = list(value, Bounds.MAX_LIST, what);
        int[] ints = new int[raw.size()];
        for (int i = 0; i < ints.length; i++) {
            ints[i] = count(raw.get(i), what);
        }
        return ints;
    }

    /** Trailing fields that an older peer does not send are null. */
    private static @Nullable Object at(List<?> fields, int index) {
        return index < fields.size() ? fields.get(index) : null;
    }
}
