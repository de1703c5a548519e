package io.fdt.core.wire;

import io.fdt.core.digest.TreeDigest;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.Value;
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
import java.util.ArrayList;
import java.util.List;
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

    /**
     * The values of a request that differ from their defaults, which messages of a copy between two servers also
     * contain.
     */
    static TransferPlan request(Form<TransferPlan> f) throws IOException {
        TransferPlan request = TransferPlan.EMPTY;
        for (Value<?> each : CopyValue.OF_REQUESTS) {
            request = with(each, request, f);
        }
        return request;
    }

    private static <T> TransferPlan with(Value<T> value, TransferPlan request, Form<TransferPlan> f)
            throws IOException {
        T is = f.optional(
                value.toString(),
                plan -> plan.has(value) ? plan.get(value) : null,
                (cbor, each) -> cbor.value(value.write(each)),
                written -> read(value, written));
        return is == null ? request : request.with(value, is);
    }

    private static <T> T read(Value<T> value, @Nullable Object written) throws IOException {
        try {
            return value.read(written);
        } catch (IllegalArgumentException invalid) {
            throw new IOException("bad or missing " + value, invalid);
        }
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
