package io.fdt.core.wire;

import io.fdt.core.digest.Checksums;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.plan.Chunking;
import io.fdt.core.plan.CopyRequest;
import io.fdt.core.plan.FileBounds;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.plan.LaneRequest;
import io.fdt.core.plan.ModeChange;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.SourceSelection;
import io.fdt.core.plan.SourceSelection.Handling;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.DirectIo;
import io.fdt.core.plan.TargetRules.Keep;
import io.fdt.core.plan.TargetRules.Mirror;
import io.fdt.core.plan.TargetRules.Writing;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.plan.Zeros;
import io.fdt.core.stats.SessionActivity.LaneReason;
import io.fdt.core.wire.ControlCodec.MessageKind;
import io.fdt.core.wire.TransferMessage.Acknowledged;
import io.fdt.core.wire.TransferMessage.Deleted;
import io.fdt.core.wire.TransferMessage.Deletion;
import io.fdt.core.wire.TransferMessage.FileFailed;
import io.fdt.core.wire.TransferMessage.FilesDone;
import io.fdt.core.wire.TransferMessage.Finish;
import io.fdt.core.wire.TransferMessage.Finished;
import io.fdt.core.wire.TransferMessage.LanesBusy;
import io.fdt.core.wire.TransferMessage.LanesWanted;
import io.fdt.core.wire.TransferMessage.LeftOut;
import io.fdt.core.wire.TransferMessage.ManifestPage;
import io.fdt.core.wire.TransferMessage.OpenTransfer;
import io.fdt.core.wire.TransferMessage.RetireLanes;
import io.fdt.core.wire.TransferMessage.SendAgain;
import io.fdt.core.wire.TransferMessage.SourceFailed;
import io.fdt.core.wire.TransferMessage.SourceNames;
import io.fdt.core.wire.TransferMessage.SourceShape;
import io.fdt.core.wire.TransferMessage.StreamEnded;
import io.fdt.core.wire.TransferMessage.Verdict;
import io.fdt.core.wire.TransferMessage.VerdictKind;
import io.fdt.core.wire.TransferMessage.Verdicts;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Encodes the messages of a transfer as CBOR. */
@SuppressWarnings("EnumOrdinal") // ControlCodecTest fixes the order of every enum on the wire
final class TransferCodec {
    static final List<MessageKind<?>> KINDS = List.of(
            new MessageKind<>(
                    3,
                    OpenTransfer.class,
                    f -> new OpenTransfer(f.part(OpenTransfer::request, TransferCodec::request))),
            new MessageKind<>(6, SourceShape.class, f -> new SourceShape(f.flag("single", SourceShape::singleFile))),
            new MessageKind<>(7, ManifestPage.class, TransferCodec::page),
            new MessageKind<>(
                    8,
                    Verdicts.class,
                    f -> new Verdicts(
                            f.count("first", Verdicts::firstId),
                            f.integer("count", 0, Bounds.MAX_PAGE_ENTRIES, Verdicts::count),
                            f.list("except", Bounds.MAX_PAGE_ENTRIES, Verdicts::exceptions, TransferCodec::verdict))),
            new MessageKind<>(9, SourceFailed.class, TransferCodec::sourceFailed),
            new MessageKind<>(
                    10,
                    StreamEnded.class,
                    f -> new StreamEnded(f.count("file", StreamEnded::fileId), f.size("size", StreamEnded::sizeBytes))),
            new MessageKind<>(11, Acknowledged.class, TransferCodec::acknowledged),
            new MessageKind<>(
                    12,
                    SendAgain.class,
                    f -> new SendAgain(
                            f.count("file", SendAgain::fileId),
                            f.size("offset", SendAgain::offset),
                            f.count("attempt", SendAgain::attempt))),
            new MessageKind<>(
                    13,
                    FilesDone.class,
                    f -> new FilesDone(
                            f.ints("files", FilesDone::fileIds),
                            f.bytes("digests", Bounds.MAX_MESSAGE_BYTES, FilesDone::digests))),
            new MessageKind<>(
                    14,
                    FileFailed.class,
                    f -> new FileFailed(f.count("file", FileFailed::fileId), f.failure("why", FileFailed::why))),
            new MessageKind<>(
                    16,
                    Finish.class,
                    f -> new Finish(
                            f.size("sent", Finish::bytesSent),
                            f.size("resent", Finish::bytesResent),
                            f.text("limit", Finish::senderLimit),
                            f.integer("percent", 0, 100, Finish::senderLimitPercent))),
            new MessageKind<>(
                    17,
                    Finished.class,
                    f -> new Finished(
                            f.size("files", Finished::files),
                            f.size("bytes", Finished::bytes),
                            f.size("resumed", Finished::bytesResumed),
                            f.size("skipped", Finished::filesSkipped),
                            f.size("failed", Finished::filesFailed),
                            f.optionalText("digest", Finished::digest),
                            f.text("limit", Finished::receiverLimit),
                            f.integer("percent", 0, 100, Finished::receiverLimitPercent),
                            f.flag("renamed", Finished::renamed))),
            new MessageKind<>(22, LanesBusy.class, f -> new LanesBusy(f.ints("lanes", LanesBusy::lanes))),
            new MessageKind<>(
                    23, SourceNames.class, f -> new SourceNames(f.requestedPaths("names", SourceNames::names))),
            new MessageKind<>(27, RetireLanes.class, f -> new RetireLanes(f.ints("lanes", RetireLanes::lanes))),
            new MessageKind<>(
                    28,
                    LanesWanted.class,
                    f -> new LanesWanted(
                            f.integer("lanes", 1, Bounds.MAX_LANES, LanesWanted::count),
                            f.choice("reason", LaneReason.values(), LanesWanted::reason),
                            f.text("why", LanesWanted::why))),
            new MessageKind<>(34, LeftOut.class, f -> new LeftOut(f.paths("paths", Bounds.MAX_LIST, LeftOut::paths))),
            new MessageKind<>(
                    35,
                    Deleted.class,
                    f -> new Deleted(f.list(
                            "paths",
                            Bounds.MAX_PAGE_ENTRIES,
                            Deleted::deletions,
                            each -> new Deletion(
                                    each.path("path", Deletion::path),
                                    each.flag("directory", Deletion::directory),
                                    each.optionalFailure("why", Deletion::why))))));

    private TransferCodec() {}

    /** The fields of a request, which messages of a copy between two servers also contain. */
    static CopyRequest request(Form<CopyRequest> f) throws IOException {
        int chunkBytes = f.integer(
                "chunk",
                TreeDigest.LEAF_BYTES,
                Bounds.MAX_CHUNK_BYTES,
                request -> request.chunks().bytes());
        DigestKind digest =
                DigestKind.ofCode(f.count("digest", request -> request.digest().code()));
        if (digest == null || Integer.bitCount(chunkBytes) != 1) {
            throw Fields.misfit("digest or chunk size");
        }
        int sums = (int) f.numberUnless(
                0,
                "checksums",
                Checksums.ALL.bits(),
                request -> request.chunks().hash().sums().bits());
        return new CopyRequest(
                f.choice("direction", Direction.values(), CopyRequest::direction),
                f.part(CopyRequest::selection, TransferCodec::selection),
                f.requestedPath("target", CopyRequest::target),
                f.part(CopyRequest::rules, TransferCodec::rules),
                f.part(CopyRequest::lanes, TransferCodec::lanes),
                new Chunking(new Checksums(sums).beside(digest), chunkBytes),
                f.flag("dry", CopyRequest::dryRun));
    }

    private static SourceSelection selection(Form<SourceSelection> f) throws IOException {
        FileBounds bounds = f.optional(
                "bounds",
                FileBounds.NONE,
                selection -> selection.bounds().admitsAll() ? null : selection.bounds(),
                TransferCodec::writeBounds,
                TransferCodec::readBounds);
        ModeChange modes = f.optional(
                "chmod",
                ModeChange.NONE,
                selection -> selection.modes().isNone() ? null : selection.modes(),
                (cbor, change) -> cbor.text(change.text()),
                TransferCodec::readModes);
        return new SourceSelection(
                f.requestedPaths("sources", SourceSelection::sources),
                f.optional(
                        "names",
                        SourceSelection::names,
                        Form.all(Form.PATH),
                        Form.all("names", Bounds.MAX_LIST, Form.requestedPath("names"))),
                f.list(
                        "filters",
                        Bounds.MAX_MESSAGE_BYTES,
                        SourceSelection::rules,
                        rule -> new PathRule(
                                rule.flag("filter", PathRule::include), rule.requestedPath("filter", PathRule::glob))),
                bounds,
                handling(f.size("handling", TransferCodec::bits)),
                f.part(
                        SourceSelection::zeros,
                        zeros -> new Zeros(
                                zeros.number("size", -1, Long.MAX_VALUE, Zeros::bytes),
                                zeros.number("duration", -1, Long.MAX_VALUE, Zeros::nanos))),
                modes);
    }

    private static ModeChange readModes(@Nullable Object value) throws IOException {
        ModeChange change = ModeChange.parse(Fields.text(value, ModeChange.MAX_CHARS, "chmod"));
        if (change == null) {
            throw Fields.misfit("chmod");
        }
        return change;
    }

    private static long bits(SourceSelection selection) {
        return selection.handling().stream()
                .filter(each -> each != Handling.REMOVE)
                .mapToLong(each -> 1L << each.ordinal())
                .sum();
    }

    private static Set<Handling> handling(long bits) {
        Set<Handling> set = EnumSet.complementOf(EnumSet.of(Handling.REMOVE));
        set.removeIf(each -> (bits >>> each.ordinal() & 1) == 0);
        return set;
    }

    private static TargetRules rules(Form<TargetRules> f) throws IOException {
        return new TargetRules(
                f.choice("existing", TargetRules.Existing.values(), TargetRules::existing),
                f.choice("compare", TargetRules.Comparison.values(), TargetRules::comparison),
                f.part(
                        TargetRules::writing,
                        writing -> new Writing(
                                writing.choice("durable", TargetRules.Durability.values(), Writing::durability),
                                writing.choice("direct", DirectIo.values(), Writing::directIo))),
                f.flag("resume", TargetRules::resume),
                TargetRules.Preserve.ofBits(f.size("preserve", rules -> TargetRules.Preserve.bits(rules.preserve()))),
                keeps(
                        f.flag("update", TargetRules::keepsNewer),
                        f.flag("keep_dirlinks", TargetRules::keepsDirectoryLinks)),
                f.optionalArray(
                        "mirror",
                        TargetRules::mirror,
                        mirror -> new Mirror(
                                mirror.size("mirror", Mirror::maxFiles),
                                mirror.flag("mirror", Mirror::deletesExcluded))));
    }

    private static Set<Keep> keeps(boolean newer, boolean directoryLinks) {
        Set<Keep> set = EnumSet.noneOf(Keep.class);
        if (newer) {
            set.add(Keep.NEWER);
        }
        if (directoryLinks) {
            set.add(Keep.DIRECTORY_LINKS);
        }
        return set;
    }

    private static LaneRequest lanes(Form<LaneRequest> f) throws IOException {
        return new LaneRequest(
                f.part(LaneRequest::count, TransferCodec::count),
                f.flag("clear", LaneRequest::clear),
                f.size("rate", LaneRequest::rateBitsPerSecond),
                f.number("timeout", LaneRequest.MIN_TIMEOUT_MS, Integer.MAX_VALUE, LaneRequest::timeoutMs));
    }

    private static LaneRange count(Form<LaneRange> f) throws IOException {
        int max = f.integer("lanes", 1, Bounds.MAX_LANES, LaneRange::max);
        int start = f.integer("lanes_start", 1, max, LaneRange::start);
        return new LaneRange(f.integer("lanes_min", 1, start, LaneRange::min), start, max);
    }

    private static void writeBounds(CborWriter cbor, FileBounds bounds) throws IOException {
        cbor.startArray();
        cbor.number(bounds.minBytes());
        cbor.number(bounds.maxBytes());
        Instant newerThan = bounds.newerThan();
        if (newerThan != null) {
            cbor.number(newerThan.getEpochSecond());
            cbor.number(newerThan.getNano());
        }
        cbor.end();
    }

    private static FileBounds readBounds(@Nullable Object value) throws IOException {
        List<?> fields = Fields.list(value, 16, "bounds");
        Instant newerThan = null;
        if (fields.size() > 2) {
            newerThan = Instant.ofEpochSecond(
                    Fields.number(fields.get(2), Instant.MIN.getEpochSecond(), Instant.MAX.getEpochSecond(), "bounds"),
                    Fields.number(Fields.at(fields, 3), 0, 999_999_999, "bounds"));
        }
        return new FileBounds(
                Fields.number(Fields.at(fields, 0), 0, Long.MAX_VALUE, "bounds"),
                Fields.number(Fields.at(fields, 1), 0, Long.MAX_VALUE, "bounds"),
                newerThan);
    }

    private static ManifestPage page(Form<ManifestPage> f) throws IOException {
        int first = f.count("first", ManifestPage::firstId);
        List<FileEntry> entries = f.values(
                "entries", Bounds.MAX_PAGE_ENTRIES, ManifestPage::entries, EntryCodec::write, EntryCodec::read);
        f.refuseIf(first > Integer.MAX_VALUE - entries.size(), "first");
        return new ManifestPage(first, entries);
    }

    private static SourceFailed sourceFailed(Form<SourceFailed> f) throws IOException {
        return new SourceFailed(
                f.integer("file", -1, Integer.MAX_VALUE, SourceFailed::fileId),
                f.path("path", SourceFailed::path),
                f.failure("why", SourceFailed::why));
    }

    private static Verdict verdict(Form<Verdict> f) throws IOException {
        return new Verdict(
                f.count("file", Verdict::fileId),
                f.choice("verdict", VerdictKind.values(), Verdict::kind),
                f.field("ranges", Verdict::missing, TransferCodec::writeRanges, TransferCodec::readRanges),
                f.optionalFailure("why", Verdict::why),
                f.integer("count", 1, Bounds.MAX_PAGE_ENTRIES, Verdict::count));
    }

    private static void writeRanges(CborWriter cbor, List<Range> ranges) throws IOException {
        cbor.startArray();
        for (Range range : ranges) {
            cbor.number(range.offset());
            cbor.number(range.lengthBytes());
        }
        cbor.end();
    }

    /** Ranges in order, none empty, none overlapping. */
    private static List<Range> readRanges(@Nullable Object value) throws IOException {
        List<?> raw = Fields.list(value, 2 * Bounds.MAX_LIST, "ranges");
        List<Range> ranges = new ArrayList<>(raw.size() / 2);
        long end = 0;
        for (int i = 0; i + 1 < raw.size(); i += 2) {
            long offset = Fields.number(raw.get(i), end, Long.MAX_VALUE, "range");
            long length = Fields.number(raw.get(i + 1), 1, Long.MAX_VALUE - offset, "range");
            if (offset % TreeDigest.LEAF_BYTES != 0) {
                throw Fields.misfit("range");
            }
            ranges.add(new Range(offset, length));
            end = offset + length;
        }
        return ranges;
    }

    private static Acknowledged acknowledged(Form<Acknowledged> f) throws IOException {
        int[] files = f.ints("files", Acknowledged::fileIds);
        long[] offsets =
                f.field("offsets", Acknowledged::offsets, (cbor, all) -> cbor.numbers(all), TransferCodec::readOffsets);
        int[] lengths = f.ints("lengths", Acknowledged::lengths);
        f.refuseIf(offsets.length != files.length, "offsets");
        f.refuseIf(lengths.length != files.length, "lengths");
        return new Acknowledged(files, offsets, lengths);
    }

    private static long[] readOffsets(@Nullable Object value) throws IOException {
        List<?> raw = Fields.list(value, Bounds.MAX_LIST, "offsets");
        long[] offsets = new long[raw.size()];
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = Fields.number(raw.get(i), 0, Long.MAX_VALUE, "offsets");
        }
        return offsets;
    }
}
