package io.fdt.core.wire;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.dataformat.cbor.CBORFactory;
import io.fdt.core.basic.HostView;
import io.fdt.core.digest.Checksums;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.Cleaning;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileBounds;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.FileOperation.Piece;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.JobsPlan;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.plan.ModeChange;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.plan.Zeros;
import io.fdt.core.stats.CoreTimes;
import io.fdt.core.stats.HostFacts;
import io.fdt.core.stats.JobReport;
import io.fdt.core.stats.LanePlace;
import io.fdt.core.stats.Moved;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.SessionActivity.LaneReason;
import io.fdt.core.stats.Summary;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** An example of every control message, and what tests make others of. */
public final class ControlMessages {
    static final byte[] ID = new byte[LaneHello.SESSION_ID_BYTES];
    static final byte[] SECRET = new byte[32];
    static final RawPath ODD = RawPath.ofBytes(new byte[] {'a', '\n', (byte) 0xFF, 27, '/', 'b'});

    private ControlMessages() {}

    public static Stream<ControlMessage> everyMessage() {
        FileEntry.Attribute attribute = new FileEntry.Attribute(RawPath.ofText("user.x"), new byte[] {0, 1});
        FileEntry file = new FileEntry(
                ODD,
                FileEntry.Kind.FILE,
                5L << 40,
                new EntryMetadata(07777, -5, 999_999_999, -1, 7, List.of(attribute)),
                true,
                null);
        FileEntry link = Entries.link(RawPath.EMPTY, ODD, EntryMetadata.ofMode(0777));
        FileEntry stream = Entries.stream("s", EntryMetadata.ofMode(0644));
        FileEntry furtherName =
                new FileEntry(RawPath.ofText("f"), FileEntry.Kind.FILE, 1, EntryMetadata.ofMode(0644), false, ODD);
        return Stream.of(
                new SessionMessage.Challenge("fdt", new byte[32]),
                new SessionMessage.Authenticate("key", new byte[32], "fdt"),
                new SessionMessage.Bearer("t".repeat(SessionMessage.Bearer.MAX_TOKEN_CHARS), "fdt"),
                new TransferMessage.OpenTransfer(request(TransferPlan.from(List.of(ODD))
                        .with(CopyValue.NAMES, List.of(ODD, RawPath.ofText("x")))
                        .with(CopyValue.RULES, List.of(new PathRule(true, RawPath.ofText("*"))))
                        .with(CopyValue.BOUNDS, new FileBounds(7, 1L << 40, Instant.ofEpochSecond(-1, 999_999_999)))
                        .with(CopyValue.GROWING, true)
                        .with(CopyValue.PAIRS, true)
                        .with(CopyValue.COPY_LINKS, true)
                        .with(CopyValue.ONE_FILE_SYSTEM, true)
                        .with(CopyValue.KEEP_DIRLINKS, true)
                        .with(CopyValue.RANGE, new Range(1, Long.MAX_VALUE - 1))
                        .with(CopyValue.ZEROS, new Zeros(-1, 30_000_000_000L))
                        .with(CopyValue.TRACE, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                        .with(CopyValue.CHMOD, Objects.requireNonNull(ModeChange.parse("D755,F644"))))),
                new SessionMessage.Opened(ID, SECRET, 16, true, 65_535, new Checksums(5)),
                new SessionMessage.Failed(Failure.of(Cause.ofExitCode(7), "no")),
                new TransferMessage.SourceShape(true),
                new TransferMessage.ManifestPage(
                        17,
                        List.of(
                                file,
                                link,
                                stream,
                                furtherName,
                                file.ranged(new FileRange(4L << 40, 5L << 40, 1L << 40)),
                                file.ranged(new FileRange(FileRange.ALL, 5L << 40, 1L << 40)))),
                new TransferMessage.Verdicts(
                        17,
                        3,
                        List.of(
                                new TransferMessage.Verdict(
                                        17,
                                        TransferMessage.VerdictKind.PART,
                                        List.of(new Range(0, 5), new Range(TreeDigest.LEAF_BYTES, 1L << 41)),
                                        null),
                                new TransferMessage.Verdict(
                                        18, TransferMessage.VerdictKind.SKIPPED, List.of(), null, 2))),
                new TransferMessage.SourceFailed(-1, ODD, Failure.of(Cause.CHANGED, "gone")),
                new TransferMessage.StreamEnded(3, 77),
                new TransferMessage.Acknowledged(new int[] {1, 2}, new long[] {0, 1L << 42}, new int[] {7, 1 << 23}),
                new TransferMessage.SendAgain(1, 1L << 42, 2),
                new TransferMessage.FilesDone(new int[] {0, Integer.MAX_VALUE}, new byte[32]),
                new TransferMessage.FileFailed(1, Failure.of(Cause.ofExitCode(5), "full")),
                new SessionMessage.Warning("hm"),
                new TransferMessage.Finish(1, 2, "network", 99),
                new TransferMessage.Finished(1, 2, 3, 4, 5, null, "idle", 0, true),
                new SessionMessage.Heartbeat(1L << 40),
                new SessionMessage.Leaving(),
                new TransferMessage.SourceNames(List.of(ODD, RawPath.ofText("b"))),
                new TransferMessage.LanesBusy(new int[] {0, 63}),
                new TransferMessage.RetireLanes(new int[] {0, 63}),
                new TransferMessage.LanesWanted(Bounds.MAX_LANES, LaneReason.FEWER, "the path has room"),
                new TransferMessage.LeftOut(List.of(ODD, RawPath.ofText("b"))),
                new TransferMessage.Deleted(List.of(
                        new TransferMessage.Deletion(ODD, true, null),
                        new TransferMessage.Deletion(
                                RawPath.ofText("b"), false, Failure.of(Cause.ofExitCode(5), "not empty")))),
                new SessionMessage.Reattach(new byte[LaneHello.SESSION_ID_BYTES], new byte[32], 17),
                new SessionMessage.Reattached(0),
                new SessionMessage.AskHost(),
                new SessionMessage.HostReport(view(2, 1)),
                new SessionMessage.StageReport("target-disk", 93),
                new SessionMessage.Counted(1L << 40, 5, 4, 3, true),
                new SessionMessage.Elsewhere(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}),
                new VerifyMessage.OpenVerify(ODD, DigestKind.CRC32C, true, true, false, 8, 5000),
                new VerifyMessage.VerifyNames(List.of(
                        new VerifyMessage.VerifyName(ODD, false, false),
                        new VerifyMessage.VerifyName(RawPath.EMPTY, true, false),
                        new VerifyMessage.VerifyName(ODD, true, true))),
                new VerifyMessage.VerifyPage(List.of(
                        CheckedEntry.found(file, new byte[16]),
                        CheckedEntry.found(link),
                        CheckedEntry.absent(ODD),
                        CheckedEntry.unreadable(ODD, Cause.SOURCE.failure("no")),
                        CheckedEntry.unreadable(file, Cause.REFUSED.failure("out")))),
                new VerifyMessage.VerifyMore(Bounds.MAX_VERIFY_PAGES),
                new VerifyMessage.VerifyEnd(),
                new VerifyMessage.OpenList(ODD, true, false, 5000, new Cleaning(86_400, true)),
                new VerifyMessage.SpaceReport(ODD, 1L << 50, 1L << 51, -1, -1),
                new FileMessage.OpenFiles(
                        5000,
                        new FileMessage.Operate(
                                1,
                                new FileOperation(
                                        FileOperation.Action.SUM,
                                        List.of(ODD, RawPath.EMPTY),
                                        false,
                                        FileHash.ADLER32))),
                new FileMessage.Operate(
                        Integer.MAX_VALUE,
                        new FileOperation(
                                FileOperation.Action.READ,
                                List.of(ODD, RawPath.EMPTY),
                                false,
                                DigestKind.NONE,
                                List.of(new Piece(0, 0, Long.MAX_VALUE), new Piece(1, 1L << 40, 0)))),
                new FileMessage.Data(3, new byte[] {1, 2, 3}, new byte[16]),
                new FileMessage.Found(2, List.of(CheckedEntry.found(file, new byte[4]), CheckedEntry.found(link))),
                new FileMessage.SpaceFound(2, new VerifyMessage.SpaceReport(ODD, 1, 2, -1, -1)),
                new FileMessage.More(2, Bounds.MAX_VERIFY_PAGES),
                new FileMessage.Stop(2),
                new FileMessage.Ended(2, Failure.of(Cause.REFUSED, "no")),
                new ThirdPartyMessage.OpenDelegation(request(TransferPlan.from(List.of())), ThirdPartyMessage.ATTACHED),
                new ThirdPartyMessage.Delegated("0123456789abcdef", SECRET, SECRET),
                new ThirdPartyMessage.OpenThirdParty(
                        request(TransferPlan.from(List.of(ODD))),
                        new ThirdPartyMessage.Target("2001:db8::7", 65_535, new byte[32], "0123456789abcdef", SECRET),
                        Long.MAX_VALUE,
                        0,
                        3_600_000,
                        List.of(FileHash.SHA256, FileHash.MD5)),
                new ThirdPartyMessage.ThirdPartyStarted("0011223344556677", 16, "epoll", "dtn2:27321"),
                new ThirdPartyMessage.ThirdPartyProgress(new Progress(
                        new Progress.Files(3, 4, 5, 6),
                        new Progress.Bytes(-1, 1, Summary.Bytes.of(1, new Moved(8, 2, 2, 2, 2))),
                        7,
                        true,
                        0)),
                new ThirdPartyMessage.ThirdPartyFiles(List.of(
                        new ThirdPartyMessage.FileReport(
                                "a\\xFF",
                                ThirdPartyMessage.FileEnd.COPIED,
                                1L << 40,
                                Map.of(FileHash.ADLER32, "00000001", FileHash.CRC32, "fedcba98"),
                                null),
                        new ThirdPartyMessage.FileReport(
                                "b",
                                ThirdPartyMessage.FileEnd.FAILED,
                                0,
                                Map.of(),
                                Failure.of(Cause.ofExitCode(5), "full")))),
                new ThirdPartyMessage.ThirdPartyFilesHeard(Bounds.MAX_TOLD_PAGES),
                new ThirdPartyMessage.ThirdPartyReceipt(new byte[] {1, 2, 3}, Bounds.MAX_RECEIPT_BYTES),
                new ThirdPartyMessage.ThirdPartyEnded(new Summary(
                        Failure.of(Cause.SOME_FILES_FAILED, "some failed"),
                        new Summary.Files(1, 6, 7, 8, List.of()),
                        new Summary.Bytes(2, new Moved(3, 10, 10, 10, 10), 4, 5, 6, true),
                        new Summary.Run("0011223344556677", 8, 9, 0, "network"),
                        "xxh3-128:00",
                        null)),
                new ThirdPartyMessage.OpenJobs(10_000, JobsPlan.Action.WAIT, "0011223344556677", true),
                new ThirdPartyMessage.JobPage(
                        List.of(
                                new JobReport("0011223344556677", "/a", "b:1 /c", 5, Progress.NONE.after(4), null),
                                new JobReport(
                                        "1011223344556677",
                                        "/a",
                                        "b:1 /c",
                                        5,
                                        Progress.NONE.after(4),
                                        Summary.of(
                                                Cause.BUSY.failure("busy"), Progress.NONE, List.of(), "none", "0011"))),
                        true),
                openNettest(Map.of("sizes", List.of(1L, 1L << 40), "keep", false, "offered", List.of())),
                new NettestMessage.NettestReady(new HostFacts(
                        "fdt",
                        "dtn2",
                        "6.1",
                        new HostFacts.Cpu("cpu", 64, 2),
                        new HostFacts.Nic("eth0", 100_000_000_000L, "Gen3 x8", 54_000_000_000L))),
                new NettestMessage.NettestStart(),
                new NettestMessage.NettestMark(),
                new NettestMessage.NettestMarked(side()),
                new NettestMessage.NettestStop(),
                new NettestMessage.NettestSample(side()),
                new NettestMessage.NettestDone(side()));
    }

    static HostView view(int cores, int nics) {
        return new HostView(
                "dtn2",
                Collections.nCopies(
                        cores,
                        new HostView.Core(8191, -1, new HostView.Shares(1, 0, 0.001, 0.002, 0.003, 0.004, 0.005))),
                Collections.nCopies(nics, new HostView.Nic("eth0", -1, "bond0", 1L << 40, 0, -1, 2)));
    }

    static NettestMessage.OpenNettest openNettest(Map<String, Object> values) {
        return new NettestMessage.OpenNettest("load", true, 5000, values);
    }

    static NettestMessage.SideState side() {
        return new NettestMessage.SideState(
                1L << 40,
                77,
                List.of(new NettestMessage.LaneState(
                        1L << 50, 2, 3, true, 4, 5, 6, 7, 8, 9, 10, 11, new LanePlace(4, -1, 8193))),
                List.of(new CoreTimes(63, 1, 2, 3, 4, 5)));
    }

    static TransferPlan request(TransferPlan selection) {
        return selection
                .with(CopyValue.DIRECTION, Direction.PULL)
                .with(CopyValue.TARGET, ODD)
                .with(CopyValue.EXISTING, TargetRules.Existing.FAIL)
                .with(CopyValue.COMPARE, TargetRules.Comparison.DIGEST)
                .with(CopyValue.DURABLE, TargetRules.Durability.CHUNK)
                .with(CopyValue.DIRECT_IO, TargetRules.DirectIo.NEVER)
                .with(CopyValue.RESUME, false)
                .with(CopyValue.PRESERVE, Set.of(TargetRules.Preserve.OWNER, TargetRules.Preserve.MODE))
                .with(CopyValue.UPDATE, true)
                .with(CopyValue.MIRROR, new TargetRules.Mirror(7, true))
                .with(CopyValue.LANES, new LaneRange(2, 4, 16))
                .with(CopyValue.CLEAR_LANES, true)
                .with(CopyValue.RATE_LIMIT, 1_000_000L)
                .with(CopyValue.TIMEOUT_MS, 5000L)
                .with(CopyValue.SUMS, Checksums.of(List.of(FileHash.ADLER32, FileHash.CRC32)))
                .with(CopyValue.DIGEST, DigestKind.SHA256)
                .with(CopyValue.CHUNK_BYTES, TreeDigest.LEAF_BYTES)
                .with(CopyValue.DRY_RUN, true);
    }

    static ThirdPartyMessage thirdParty(String host, int port, byte[] fingerprint) {
        return new ThirdPartyMessage.OpenThirdParty(
                request(TransferPlan.from(List.of(ODD))),
                new ThirdPartyMessage.Target(host, port, fingerprint, "k", SECRET),
                0,
                0,
                ThirdPartyMessage.ATTACHED,
                null);
    }

    /** Encodes any map as CBOR, whether it is a message or not. */
    static byte[] cbor(Map<String, ?> map) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = new CBORFactory().createGenerator(out)) {
            write(json, map);
        }
        return out.toByteArray();
    }

    static void write(JsonGenerator json, Object value) throws IOException {
        if (value instanceof Map<?, ?> map) {
            json.writeStartObject();
            for (Map.Entry<?, ?> field : map.entrySet()) {
                json.writeFieldName((String) field.getKey());
                write(json, field.getValue());
            }
            json.writeEndObject();
        } else if (value instanceof List<?> list) {
            json.writeStartArray();
            for (Object each : list) {
                write(json, each);
            }
            json.writeEndArray();
        } else if (value instanceof byte[] bytes) {
            json.writeBinary(bytes);
        } else if (value instanceof Number number) {
            json.writeNumber(number.longValue());
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else {
            json.writeString((String) value);
        }
    }
}
