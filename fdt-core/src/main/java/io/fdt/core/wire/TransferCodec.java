package io.fdt.core.wire;

import static io.fdt.core.wire.Fields.at;
import static io.fdt.core.wire.Fields.choice;
import static io.fdt.core.wire.Fields.count;
import static io.fdt.core.wire.Fields.flag;
import static io.fdt.core.wire.Fields.ints;
import static io.fdt.core.wire.Fields.list;
import static io.fdt.core.wire.Fields.number;
import static io.fdt.core.wire.Fields.path;
import static io.fdt.core.wire.Fields.paths;
import static io.fdt.core.wire.Fields.size;
import static io.fdt.core.wire.Fields.text;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fdt.core.FailureKind;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.plan.CopyRequest;
import io.fdt.core.plan.FileBounds;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.SourceSelection;
import io.fdt.core.plan.SourceSelection.Handling;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.Mirror;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.wire.TransferMessage.Verdict;
import io.fdt.core.wire.TransferMessage.VerdictKind;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The messages of a transfer as CBOR. */
@SuppressWarnings("EnumOrdinal") // ControlCodecTest pins the order of every enum that travels
final class TransferCodec {
    private TransferCodec() {}

    static void write(JsonGenerator json, TransferMessage message) throws IOException {
        if (message instanceof TransferMessage.OpenTransfer m) {
            FieldWriter.code(json, 3);
            writeRequest(json, m.request());
        } else if (message instanceof TransferMessage.SourceShape m) {
            FieldWriter.code(json, 6);
            json.writeBooleanField("single", m.singleFile());
            json.writeBooleanField("retires", m.retiresLanes());
        } else if (message instanceof TransferMessage.ManifestPage m) {
            FieldWriter.code(json, 7);
            json.writeNumberField("first", m.firstId());
            json.writeArrayFieldStart("entries");
            for (FileEntry entry : m.entries()) {
                EntryCodec.write(json, entry);
            }
            json.writeEndArray();
        } else if (message instanceof TransferMessage.Verdicts m) {
            FieldWriter.code(json, 8);
            json.writeNumberField("first", m.firstId());
            json.writeNumberField("count", m.count());
            json.writeArrayFieldStart("except");
            for (Verdict verdict : m.exceptions()) {
                writeVerdict(json, verdict);
            }
            json.writeEndArray();
        } else if (message instanceof TransferMessage.SourceFailed m) {
            FieldWriter.code(json, 9);
            json.writeNumberField("file", m.fileId());
            json.writeBinaryField("path", m.path().toBytes());
            json.writeNumberField("code", m.kind().exitCode());
            json.writeBooleanField("changed", m.kind() == FailureKind.SOURCE_CHANGED);
            json.writeStringField("why", FieldWriter.clipped(m.reason()));
        } else if (message instanceof TransferMessage.StreamEnded m) {
            FieldWriter.code(json, 10);
            json.writeNumberField("file", m.fileId());
            json.writeNumberField("size", m.sizeBytes());
        } else if (message instanceof TransferMessage.Acknowledged m) {
            FieldWriter.code(json, 11);
            FieldWriter.ints(json, "files", m.fileIds());
            json.writeFieldName("offsets");
            json.writeArray(m.offsets(), 0, m.offsets().length);
            FieldWriter.ints(json, "lengths", m.lengths());
        } else if (message instanceof TransferMessage.SendAgain m) {
            FieldWriter.code(json, 12);
            json.writeNumberField("file", m.fileId());
            json.writeNumberField("offset", m.offset());
            json.writeNumberField("attempt", m.attempt());
        } else if (message instanceof TransferMessage.FilesDone m) {
            FieldWriter.code(json, 13);
            FieldWriter.ints(json, "files", m.fileIds());
            json.writeBinaryField("digests", m.digests());
        } else if (message instanceof TransferMessage.FileFailed m) {
            FieldWriter.code(json, 14);
            json.writeNumberField("file", m.fileId());
            json.writeNumberField("code", m.exitCode());
            json.writeStringField("why", FieldWriter.clipped(m.reason()));
        } else if (message instanceof TransferMessage.Finish m) {
            FieldWriter.code(json, 16);
            json.writeNumberField("sent", m.bytesSent());
            json.writeNumberField("resent", m.bytesResent());
            json.writeStringField("limit", m.senderLimit());
            json.writeNumberField("percent", m.senderLimitPercent());
        } else if (message instanceof TransferMessage.Finished m) {
            FieldWriter.code(json, 17);
            json.writeNumberField("files", m.files());
            json.writeNumberField("bytes", m.bytes());
            json.writeNumberField("resumed", m.bytesResumed());
            json.writeNumberField("skipped", m.filesSkipped());
            json.writeNumberField("failed", m.filesFailed());
            json.writeStringField("digest", m.digest());
            json.writeStringField("limit", m.receiverLimit());
            json.writeNumberField("percent", m.receiverLimitPercent());
            json.writeBooleanField("renamed", m.renamed());
        } else if (message instanceof TransferMessage.LanesBusy m) {
            FieldWriter.code(json, 22);
            FieldWriter.ints(json, "lanes", m.lanes());
        } else if (message instanceof TransferMessage.SourceNames m) {
            FieldWriter.code(json, 23);
            FieldWriter.paths(json, "names", m.names());
        } else if (message instanceof TransferMessage.RetireLanes m) {
            FieldWriter.code(json, 27);
            FieldWriter.ints(json, "lanes", m.lanes());
        } else if (message instanceof TransferMessage.LanesWanted m) {
            FieldWriter.code(json, 28);
            json.writeNumberField("lanes", m.count());
            json.writeStringField("why", FieldWriter.clipped(m.why()));
        } else if (message instanceof TransferMessage.LeftOut m) {
            FieldWriter.code(json, 34);
            FieldWriter.paths(json, "paths", m.paths());
        } else if (message instanceof TransferMessage.Deleted m) {
            FieldWriter.code(json, 35);
            json.writeArrayFieldStart("paths");
            for (TransferMessage.Deletion each : m.deletions()) {
                json.writeStartArray();
                json.writeBinary(each.path().toBytes());
                json.writeBoolean(each.directory());
                json.writeNumber(each.exitCode());
                json.writeString(FieldWriter.clipped(each.reason()));
                json.writeEndArray();
            }
            json.writeEndArray();
        }
    }

    /** Null if the code is none of these. */
    static @Nullable TransferMessage read(int code, Map<String, @Nullable Object> map) throws IOException {
        return switch (code) {
            case 3 -> new TransferMessage.OpenTransfer(readRequest(map));
            case 6 ->
                new TransferMessage.SourceShape(
                        flag(map.get("single"), "single"),
                        map.get("retires") != null && flag(map.get("retires"), "retires"));
            case 7 -> readPage(map);
            case 8 -> readVerdicts(map);
            case 9 ->
                new TransferMessage.SourceFailed(
                        (int) number(map.get("file"), -1, Integer.MAX_VALUE, "file"),
                        path(map.get("path"), "path"),
                        map.get("changed") != null && flag(map.get("changed"), "changed")
                                ? FailureKind.SOURCE_CHANGED
                                : FailureKind.ofExitCode(count(map.get("code"), "exit code")),
                        text(map.get("why"), "reason"));
            case 10 -> new TransferMessage.StreamEnded(count(map.get("file"), "file"), size(map.get("size"), "size"));
            case 11 -> readAcknowledged(map);
            case 12 ->
                new TransferMessage.SendAgain(
                        count(map.get("file"), "file"),
                        size(map.get("offset"), "offset"),
                        count(map.get("attempt"), "attempt"));
            case 13 ->
                new TransferMessage.FilesDone(
                        ints(map.get("files"), "files"),
                        Fields.bytes(map.get("digests"), Bounds.MAX_MESSAGE_BYTES, "digests"));
            case 14 ->
                new TransferMessage.FileFailed(
                        count(map.get("file"), "file"),
                        count(map.get("code"), "exit code"),
                        text(map.get("why"), "reason"));
            case 16 ->
                new TransferMessage.Finish(
                        size(map.get("sent"), "sent"),
                        size(map.get("resent"), "resent"),
                        text(map.get("limit"), "limit"),
                        (int) number(map.get("percent"), 0, 100, "percent"));
            case 17 ->
                new TransferMessage.Finished(
                        size(map.get("files"), "files"),
                        size(map.get("bytes"), "bytes"),
                        size(map.get("resumed"), "resumed"),
                        size(map.get("skipped"), "skipped"),
                        size(map.get("failed"), "failed"),
                        map.get("digest") == null ? null : text(map.get("digest"), "digest"),
                        text(map.get("limit"), "limit"),
                        (int) number(map.get("percent"), 0, 100, "percent"),
                        map.get("renamed") != null && flag(map.get("renamed"), "renamed"));
            case 22 -> new TransferMessage.LanesBusy(ints(map.get("lanes"), "lanes"));
            case 23 -> new TransferMessage.SourceNames(paths(map.get("names"), Bounds.MAX_LIST, "names"));
            case 27 -> new TransferMessage.RetireLanes(ints(map.get("lanes"), "lanes"));
            case 28 ->
                new TransferMessage.LanesWanted(
                        (int) number(map.get("lanes"), 1, Bounds.MAX_LANES, "lanes"), text(map.get("why"), "reason"));
            case 34 -> new TransferMessage.LeftOut(paths(map.get("paths"), Bounds.MAX_LIST, "paths"));
            case 35 -> readDeleted(map);
            default -> null;
        };
    }

    /** The fields of a request, which stand in messages of an errand, too. */
    static void writeRequest(JsonGenerator json, CopyRequest m) throws IOException {
        json.writeNumberField("direction", m.direction().ordinal());
        FieldWriter.paths(json, "sources", m.selection().sources());
        List<RawPath> names = m.selection().names();
        if (names != null) {
            FieldWriter.paths(json, "names", names);
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
        json.writeNumberField("direct", m.rules().directIo().ordinal());
        json.writeBooleanField("resume", m.rules().resume());
        json.writeNumberField("preserve", TargetRules.Preserve.bits(m.rules().preserve()));
        writeBounds(json, m.selection().bounds());
        json.writeNumberField(
                "handling",
                m.selection().handling().stream()
                        .filter(each -> each != Handling.REMOVE)
                        .mapToInt(each -> 1 << each.ordinal())
                        .sum());
        json.writeBooleanField("update", m.rules().keepsNewer());
        Mirror mirror = m.rules().mirror();
        if (mirror != null) {
            json.writeArrayFieldStart("mirror");
            json.writeNumber(mirror.maxFiles());
            json.writeBoolean(mirror.deletesExcluded());
            json.writeEndArray();
        }
        json.writeNumberField("size", m.sizeBytes());
        json.writeNumberField("duration", m.durationNanos());
        json.writeNumberField("lanes", m.lanes().max());
        json.writeNumberField("lanes_min", m.lanes().min());
        json.writeNumberField("lanes_start", m.lanes().start());
        json.writeNumberField("digest", m.digest().code());
        json.writeBooleanField("clear", m.clearLanes());
        json.writeNumberField("rate", m.rateBitsPerSecond());
        json.writeBooleanField("dry", m.dryRun());
        json.writeNumberField("chunk", m.chunkBytes());
        json.writeNumberField("timeout", m.timeoutMs());
    }

    static CopyRequest readRequest(Map<String, @Nullable Object> map) throws IOException {
        List<PathRule> rules = new ArrayList<>();
        for (Object each : list(map.get("filters"), Bounds.MAX_RULES, "filters")) {
            List<?> pair = list(each, 16, "filter");
            rules.add(new PathRule(flag(at(pair, 0), "filter"), path(at(pair, 1), "filter")));
        }
        Object names = map.get("names");
        SourceSelection selection = new SourceSelection(
                paths(map.get("sources"), Bounds.MAX_SOURCES, "sources"),
                names == null ? null : paths(names, Bounds.MAX_LIST, "names"),
                rules,
                map.get("bounds") == null ? FileBounds.NONE : bounds(list(map.get("bounds"), 16, "bounds")),
                map.get("handling") == null ? Set.of() : handling(size(map.get("handling"), "handling")));
        TargetRules targetRules = new TargetRules(
                choice(map.get("existing"), TargetRules.Existing.values(), "existing"),
                flag(map.get("compare"), "compare"),
                choice(map.get("durable"), TargetRules.Durability.values(), "durable"),
                flag(map.get("resume"), "resume"),
                TargetRules.Preserve.ofBits(size(map.get("preserve"), "preserve")),
                map.containsKey("direct")
                        ? choice(map.get("direct"), TargetRules.DirectIo.values(), "direct")
                        : TargetRules.DirectIo.AUTO,
                map.get("update") != null && flag(map.get("update"), "update"),
                map.get("mirror") == null ? null : mirror(list(map.get("mirror"), 16, "mirror")));
        DigestKind digest = DigestKind.ofCode(count(map.get("digest"), "digest"));
        int chunkBytes = (int) number(map.get("chunk"), TreeDigest.LEAF_BYTES, Bounds.MAX_CHUNK_BYTES, "chunk size");
        if (digest == null || Integer.bitCount(chunkBytes) != 1) {
            throw Fields.misfit("digest or chunk size");
        }
        return new CopyRequest(
                choice(map.get("direction"), Direction.values(), "direction"),
                selection,
                path(map.get("target"), "target"),
                targetRules,
                number(map.get("size"), -1, Long.MAX_VALUE, "size"),
                number(map.get("duration"), -1, Long.MAX_VALUE, "duration"),
                readLanes(map),
                digest,
                flag(map.get("clear"), "clear"),
                size(map.get("rate"), "rate"),
                flag(map.get("dry"), "dry run"),
                chunkBytes,
                number(map.get("timeout"), 100, Integer.MAX_VALUE, "timeout"));
    }

    private static Set<Handling> handling(long bits) {
        Set<Handling> set = EnumSet.complementOf(EnumSet.of(Handling.REMOVE));
        set.removeIf(each -> (bits >>> each.ordinal() & 1) == 0);
        return set;
    }

    /** A client that knows only one number means that number. */
    private static LaneRange readLanes(Map<String, @Nullable Object> map) throws IOException {
        int max = (int) number(map.get("lanes"), 1, Bounds.MAX_LANES, "lanes");
        if (!map.containsKey("lanes_start")) {
            return LaneRange.fixed(max);
        }
        int start = (int) number(map.get("lanes_start"), 1, max, "lanes");
        return new LaneRange((int) number(map.get("lanes_min"), 1, start, "lanes"), start, max);
    }

    private static void writeBounds(JsonGenerator json, FileBounds bounds) throws IOException {
        if (bounds.equals(FileBounds.NONE)) {
            return;
        }
        json.writeArrayFieldStart("bounds");
        json.writeNumber(bounds.minBytes());
        json.writeNumber(bounds.maxBytes());
        Instant newerThan = bounds.newerThan();
        if (newerThan != null) {
            json.writeNumber(newerThan.getEpochSecond());
            json.writeNumber(newerThan.getNano());
        }
        json.writeEndArray();
    }

    private static FileBounds bounds(List<?> fields) throws IOException {
        Instant newerThan = null;
        if (fields.size() > 2) {
            newerThan = Instant.ofEpochSecond(
                    number(fields.get(2), Instant.MIN.getEpochSecond(), Instant.MAX.getEpochSecond(), "bounds"),
                    number(at(fields, 3), 0, 999_999_999, "bounds"));
        }
        return new FileBounds(size(at(fields, 0), "bounds"), size(at(fields, 1), "bounds"), newerThan);
    }

    private static Mirror mirror(List<?> fields) throws IOException {
        return new Mirror(size(at(fields, 0), "mirror"), flag(at(fields, 1), "mirror"));
    }

    private static TransferMessage readPage(Map<String, @Nullable Object> map) throws IOException {
        int first = count(map.get("first"), "first entry");
        List<?> raw = list(map.get("entries"), Bounds.MAX_PAGE_ENTRIES, "entries");
        if (first > Integer.MAX_VALUE - raw.size()) {
            throw Fields.misfit("first entry");
        }
        List<FileEntry> entries = new ArrayList<>(raw.size());
        for (Object each : raw) {
            entries.add(EntryCodec.read(list(each, 64, "entry")));
        }
        return new TransferMessage.ManifestPage(first, entries);
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
        json.writeString(FieldWriter.clipped(verdict.reason()));
        json.writeEndArray();
    }

    private static TransferMessage readVerdicts(Map<String, @Nullable Object> map) throws IOException {
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
        return new TransferMessage.Verdicts(
                count(map.get("first"), "first entry"),
                (int) number(map.get("count"), 0, Bounds.MAX_PAGE_ENTRIES, "count"),
                exceptions);
    }

    private static TransferMessage readDeleted(Map<String, @Nullable Object> map) throws IOException {
        List<TransferMessage.Deletion> deletions = new ArrayList<>();
        for (Object each : list(map.get("paths"), Bounds.MAX_PAGE_ENTRIES, "paths")) {
            List<?> fields = list(each, 16, "path");
            deletions.add(new TransferMessage.Deletion(
                    path(at(fields, 0), "path"),
                    flag(at(fields, 1), "directory"),
                    count(at(fields, 2), "exit code"),
                    text(at(fields, 3), "reason")));
        }
        return new TransferMessage.Deleted(deletions);
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

    private static TransferMessage readAcknowledged(Map<String, @Nullable Object> map) throws IOException {
        int[] files = ints(map.get("files"), "files");
        List<?> raw = list(map.get("offsets"), Bounds.MAX_LIST, "offsets");
        if (raw.size() != files.length) {
            throw Fields.misfit("offsets");
        }
        long[] offsets = new long[files.length];
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = size(raw.get(i), "offset");
        }
        int[] lengths = map.get("lengths") == null ? new int[0] : ints(map.get("lengths"), "lengths");
        if (lengths.length != 0 && lengths.length != files.length) {
            throw Fields.misfit("lengths");
        }
        return new TransferMessage.Acknowledged(files, offsets, lengths);
    }
}
