package io.fdt.core.wire;

import io.fdt.core.digest.Checksums;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.plan.JobsPlan;
import io.fdt.core.stats.JobReport;
import io.fdt.core.stats.Moved;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import io.fdt.core.wire.ControlCodec.MessageKind;
import io.fdt.core.wire.ThirdPartyMessage.Delegated;
import io.fdt.core.wire.ThirdPartyMessage.FileEnd;
import io.fdt.core.wire.ThirdPartyMessage.FileReport;
import io.fdt.core.wire.ThirdPartyMessage.JobPage;
import io.fdt.core.wire.ThirdPartyMessage.OpenDelegation;
import io.fdt.core.wire.ThirdPartyMessage.OpenJobs;
import io.fdt.core.wire.ThirdPartyMessage.OpenThirdParty;
import io.fdt.core.wire.ThirdPartyMessage.Target;
import io.fdt.core.wire.ThirdPartyMessage.ThirdPartyEnded;
import io.fdt.core.wire.ThirdPartyMessage.ThirdPartyFiles;
import io.fdt.core.wire.ThirdPartyMessage.ThirdPartyFilesHeard;
import io.fdt.core.wire.ThirdPartyMessage.ThirdPartyProgress;
import io.fdt.core.wire.ThirdPartyMessage.ThirdPartyReceipt;
import io.fdt.core.wire.ThirdPartyMessage.ThirdPartyStarted;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Encodes the messages of a copy between two servers as CBOR. */
final class ThirdPartyCodec {
    private static final int SECRET_BYTES = 32;
    private static final int FINGERPRINT_BYTES = 32;
    private static final int MAX_PORT = 65_535;

    static final List<MessageKind<?>> KINDS = List.of(
            new MessageKind<>(
                    50,
                    OpenDelegation.class,
                    f -> new OpenDelegation(
                            f.part(OpenDelegation::request, TransferCodec::request),
                            retryMs(f, OpenDelegation::retryMs))),
            new MessageKind<>(
                    51,
                    Delegated.class,
                    f -> new Delegated(
                            f.name("key", Bounds.MAX_NAME_CHARS, Delegated::keyId),
                            f.exactBytes("secret", SECRET_BYTES, Delegated::secret),
                            f.exactBytes("identity", FINGERPRINT_BYTES, Delegated::identity))),
            new MessageKind<>(
                    52,
                    OpenThirdParty.class,
                    f -> new OpenThirdParty(
                            f.part(OpenThirdParty::request, TransferCodec::request),
                            f.part(OpenThirdParty::target, ThirdPartyCodec::target),
                            f.size("entries", OpenThirdParty::maxEntries),
                            f.size("bytes", OpenThirdParty::maxBytes),
                            retryMs(f, OpenThirdParty::retryMs),
                            f.optional(
                                    "receipt",
                                    OpenThirdParty::receipt,
                                    Form.all((cbor, hash) -> cbor.number(hash.code())),
                                    Form.all("receipt", FileHash.values().length, ThirdPartyCodec::hash)))),
            new MessageKind<>(
                    48,
                    ThirdPartyReceipt.class,
                    f -> new ThirdPartyReceipt(
                            f.bytes("part", Bounds.MAX_RECEIPT_PART_BYTES, ThirdPartyReceipt::part),
                            f.number("left", 0, Bounds.MAX_RECEIPT_BYTES, ThirdPartyReceipt::leftBytes))),
            new MessageKind<>(
                    53,
                    ThirdPartyStarted.class,
                    f -> new ThirdPartyStarted(
                            f.name("session", Bounds.MAX_NAME_CHARS, ThirdPartyStarted::session),
                            f.integer("lanes", 0, Bounds.MAX_LANES, ThirdPartyStarted::lanes),
                            f.text("transport", ThirdPartyStarted::transport),
                            f.text("peer", ThirdPartyStarted::peer))),
            new MessageKind<>(
                    54,
                    ThirdPartyProgress.class,
                    f -> new ThirdPartyProgress(f.part(ThirdPartyProgress::progress, ThirdPartyCodec::progress))),
            new MessageKind<>(
                    55,
                    ThirdPartyFiles.class,
                    f -> new ThirdPartyFiles(
                            f.list("files", Bounds.MAX_TOLD_FILES, ThirdPartyFiles::files, ThirdPartyCodec::file))),
            new MessageKind<>(
                    56,
                    ThirdPartyFilesHeard.class,
                    f -> new ThirdPartyFilesHeard(
                            f.integer("pages", 1, Bounds.MAX_TOLD_PAGES + 1, ThirdPartyFilesHeard::pages))),
            new MessageKind<>(
                    57,
                    ThirdPartyEnded.class,
                    f -> new ThirdPartyEnded(f.part(ThirdPartyEnded::summary, ThirdPartyCodec::end))),
            new MessageKind<>(
                    58,
                    OpenJobs.class,
                    f -> new OpenJobs(
                            f.number("timeout", 1, Integer.MAX_VALUE, OpenJobs::timeoutMs),
                            f.choice("action", JobsPlan.Action.values(), OpenJobs::action),
                            f.name("job", JobsPlan.MAX_JOB_CHARS, OpenJobs::job),
                            f.optionalFlag("receipt", OpenJobs::receipt))),
            new MessageKind<>(
                    59,
                    JobPage.class,
                    f -> new JobPage(
                            f.list("jobs", Bounds.MAX_PAGE_JOBS, JobPage::jobs, ThirdPartyCodec::job),
                            f.flag("last", JobPage::last))));

    private ThirdPartyCodec() {}

    private static <M> long retryMs(Form<M> f, ToLongFunction<M> of) throws IOException {
        return f.numberUnless(ThirdPartyMessage.ATTACHED, "detach", Long.MAX_VALUE, of);
    }

    private static Target target(Form<Target> f) throws IOException {
        return new Target(
                f.name("host", Bounds.MAX_HOST_CHARS, Target::host),
                f.integer("port", 1, MAX_PORT, Target::port),
                f.exactBytes("pin", FINGERPRINT_BYTES, Target::fingerprint),
                f.name("key", Bounds.MAX_NAME_CHARS, Target::keyId),
                f.exactBytes("secret", SECRET_BYTES, Target::secret));
    }

    private static FileHash hash(@Nullable Object value) throws IOException {
        FileHash hash = FileHash.ofCode(Fields.count(value, "receipt"));
        if (hash == null) {
            throw Fields.misfit("receipt");
        }
        return hash;
    }

    private static JobReport job(Form<JobReport> f) throws IOException {
        return new JobReport(
                f.name("id", Bounds.MAX_NAME_CHARS, JobReport::id),
                f.text("from", JobReport::from),
                f.text("to", JobReport::to),
                f.size("age", JobReport::ageNanos),
                f.part(JobReport::progress, ThirdPartyCodec::progress)
                        .after(f.size("elapsed", job -> job.progress().elapsedNanos())),
                f.optionalArray("end", JobReport::end, ThirdPartyCodec::end));
    }

    private static Progress progress(Form<Progress> f) throws IOException {
        return new Progress(
                new Progress.Files(
                        f.size("files", progress -> progress.files().total()),
                        f.size("placed", progress -> progress.files().done()),
                        f.size("failed", progress -> progress.files().failed()),
                        f.size("skipped", progress -> progress.files().skipped())),
                new Progress.Bytes(
                        f.number(
                                "total",
                                -1,
                                Long.MAX_VALUE,
                                progress -> progress.bytes().total()),
                        f.size("done", progress -> progress.bytes().done()),
                        bytes(f, progress -> progress.bytes().soFar())),
                f.integer("lanes", 0, Bounds.MAX_LANES, Progress::lanesAlive),
                f.flag("final", Progress::totalsFinal),
                0);
    }

    private static <M> Summary.Bytes bytes(Form<M> f, Function<M, Summary.Bytes> of) throws IOException {
        return new Summary.Bytes(
                f.size("bytes", each -> of.apply(each).inPlace()),
                new Moved(
                        f.size("sent", each -> of.apply(each).moved().sent()),
                        f.size("arrived", each -> of.apply(each).moved().arrived()),
                        f.size("verified", each -> of.apply(each).moved().verified()),
                        f.size("durable", each -> of.apply(each).moved().durable()),
                        f.size("named", each -> of.apply(each).moved().named())),
                f.size("resumed", each -> of.apply(each).resumed()),
                f.size("resent", each -> of.apply(each).resent()),
                f.size("kept", each -> of.apply(each).kept()),
                f.flag("exact", each -> of.apply(each).keptExact()));
    }

    private static FileReport file(Form<FileReport> f) throws IOException {
        String path = f.text("path", Bounds.MAX_SHOWN_PATH_CHARS, FileReport::path);
        FileEnd end = f.choice("outcome", FileEnd.values(), FileReport::end);
        long sizeBytes = f.size("size", FileReport::sizeBytes);
        Map<FileHash, String> checksums = checksums(f, FileReport::checksums);
        return new FileReport(path, end, sizeBytes, checksums, f.optionalFailure("why", FileReport::why));
    }

    static <M> Map<FileHash, String> checksums(Form<M> f, Function<M, Map<FileHash, String>> of) throws IOException {
        return f.optional(
                "checksums",
                Map.of(),
                each -> of.apply(each).isEmpty() ? null : of.apply(each),
                ThirdPartyCodec::writeChecksums,
                ThirdPartyCodec::readChecksums);
    }

    /** The bits of the kinds in a byte, and their values. */
    private static void writeChecksums(CborWriter cbor, Map<FileHash, String> checksums) throws IOException {
        Checksums kinds = Checksums.of(checksums.keySet());
        ByteBuffer all = ByteBuffer.allocate(1 + kinds.lengthBytes()).put((byte) kinds.bits());
        for (FileHash kind : kinds.kinds()) {
            all.put(HexFormat.of().parseHex(checksums.getOrDefault(kind, "")));
        }
        cbor.bytes(all.array());
    }

    private static Map<FileHash, String> readChecksums(@Nullable Object value) throws IOException {
        byte[] all = Fields.bytes(value, 1 + Checksums.MAX_BYTES, "checksums");
        if (all.length == 0 || !Checksums.isSet(all[0])) {
            throw Fields.misfit("checksums");
        }
        NodeHash hash = new Checksums(all[0]).beside(DigestKind.NONE);
        if (all.length != 1 + hash.lengthBytes()) {
            throw Fields.misfit("checksums");
        }
        return hash.checksumsOf(Arrays.copyOfRange(all, 1, all.length));
    }

    /** All that its receiver does not know itself. */
    static Summary end(Form<Summary> f) throws IOException {
        return new Summary(
                f.optionalFailure("why", Summary::failure),
                new Summary.Files(
                        f.size("files", summary -> summary.files().inPlace()),
                        f.size("skipped", summary -> summary.files().skipped()),
                        f.size("failed", summary -> summary.files().failed()),
                        f.numberUnless(
                                0,
                                "deleted",
                                Long.MAX_VALUE,
                                summary -> summary.files().deleted()),
                        List.of()),
                bytes(f, Summary::bytes),
                new Summary.Run(
                        f.name(
                                "session",
                                Bounds.MAX_NAME_CHARS,
                                summary -> summary.run().session()),
                        f.integer(
                                "lanes",
                                0,
                                Bounds.MAX_LANES,
                                summary -> summary.run().lanes()),
                        f.size("replaced", summary -> summary.run().lanesReplaced()),
                        0,
                        f.text("limit", summary -> summary.run().bottleneck())),
                f.optionalText("digest", Summary::digest),
                null);
    }
}
