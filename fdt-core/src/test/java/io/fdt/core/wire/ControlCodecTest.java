package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.dataformat.cbor.CBORFactory;
import io.fdt.core.TestPlan;
import io.fdt.core.basic.HostView;
import io.fdt.core.digest.Checksums;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

public class ControlCodecTest {
    private static final byte[] ID = new byte[LaneHello.SESSION_ID_BYTES];
    private static final byte[] SECRET = new byte[32];
    private static final RawPath ODD = RawPath.ofBytes(new byte[] {'a', '\n', (byte) 0xFF, 27, '/', 'b'});

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

    private static HostView view(int cores, int nics) {
        return new HostView(
                "dtn2",
                Collections.nCopies(
                        cores,
                        new HostView.Core(8191, -1, new HostView.Shares(1, 0, 0.001, 0.002, 0.003, 0.004, 0.005))),
                Collections.nCopies(nics, new HostView.Nic("eth0", -1, "bond0", 1L << 40, 0, -1, 2)));
    }

    private static NettestMessage.OpenNettest openNettest(Map<String, Object> values) {
        return new NettestMessage.OpenNettest("load", true, 5000, values);
    }

    private static NettestMessage.SideState side() {
        return new NettestMessage.SideState(
                1L << 40,
                77,
                List.of(new NettestMessage.LaneState(
                        1L << 50, 2, 3, true, 4, 5, 6, 7, 8, 9, 10, 11, new LanePlace(4, -1, 8193))),
                List.of(new CoreTimes(63, 1, 2, 3, 4, 5)));
    }

    private static TransferPlan request(TransferPlan selection) {
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

    @ParameterizedTest
    @MethodSource("everyMessage")
    void decodesWhatItEncoded(ControlMessage message) {
        ControlMessage read = ControlCodec.decode(ControlCodec.encode(message), Failure.HERE);

        // Byte by byte, AssertJ takes a minute for the longest message.
        assertThat(read)
                .usingRecursiveComparison()
                .withEqualsForType(Arrays::equals, byte[].class)
                .isEqualTo(message);
    }

    @Test
    void decodesVerificationOfWholeFiles() {
        decodesWhatItEncoded(new VerifyMessage.OpenVerify(ODD, FileHash.MD5, false, true, true, 1, 5000));
    }

    @Test
    void decodesARequestWithoutChecksums() {
        decodesWhatItEncoded(
                new TransferMessage.OpenTransfer(TestPlan.push("/s", "/t").at(1).request()));
    }

    @Test
    void refusesATokenThatIsTooLong() {
        SessionMessage.Bearer tooLong =
                new SessionMessage.Bearer("t".repeat(SessionMessage.Bearer.MAX_TOKEN_CHARS + 1), "fdt");
        assertThatThrownBy(() -> ControlCodec.decode(ControlCodec.encode(tooLong), "peer"))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("token");
    }

    @Test
    void doesNotShowAToken() {
        assertThat(new SessionMessage.Bearer("s3cret", "fdt").toString())
                .contains("fdt")
                .doesNotContain("s3cret");
    }

    @Test
    void refusesUnknownChecksums() throws IOException {
        byte[] bytes = ControlCodec.encode(new TransferMessage.OpenTransfer(request(TransferPlan.from(List.of(ODD)))));
        Map<String, Object> fields = new LinkedHashMap<>();
        ((Map<?, ?>) CborReader.read(bytes)).forEach((name, value) -> fields.put(String.valueOf(name), value));
        assertThat(fields).containsEntry("checksums", 5L);
        fields.put("checksums", 8);
        byte[] unknown = cbor(fields);

        assertThatThrownBy(() -> ControlCodec.decode(unknown, "peer"))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("checksums");
    }

    /** A server that got it would remove its files. */
    @Test
    void requestToRemoveTheSourceIsNotSent() throws IOException {
        TransferPlan selection = TransferPlan.from(List.of(ODD))
                .with(CopyValue.REMOVE_SOURCE, true)
                .with(CopyValue.COPY_LINKS, true);
        byte[] bytes = ControlCodec.encode(new TransferMessage.OpenTransfer(request(selection)));
        TransferMessage.OpenTransfer read = (TransferMessage.OpenTransfer) ControlCodec.decode(bytes, "peer");

        assertThat(read.request()).isEqualTo(request(selection).with(CopyValue.REMOVE_SOURCE, null));
        Map<?, ?> sent = (Map<?, ?>) Objects.requireNonNull(CborReader.read(bytes));
        assertThat(sent.get("remove_source")).isNull();
    }

    @Test
    void textsPathsAndContentsMayBeAsLongAsTheirBounds() {
        RawPath path = RawPath.ofText("p".repeat(Bounds.MAX_PATH_BYTES));
        decodesWhatItEncoded(new TransferMessage.OpenTransfer(request(TransferPlan.from(List.of(path)))));
        decodesWhatItEncoded(new ThirdPartyMessage.Delegated("k".repeat(Bounds.MAX_NAME_CHARS), SECRET, SECRET));
        decodesWhatItEncoded(thirdParty("h".repeat(Bounds.MAX_HOST_CHARS), 1, new byte[32]));
        decodesWhatItEncoded(new ThirdPartyMessage.OpenJobs(10_000, JobsPlan.Action.LIST, "", false));
        decodesWhatItEncoded(new FileMessage.Data(3, new byte[Bounds.MAX_READ_BYTES], new byte[16]));
        decodesWhatItEncoded(new ThirdPartyMessage.ThirdPartyReceipt(
                new byte[Bounds.MAX_RECEIPT_PART_BYTES], Bounds.MAX_RECEIPT_BYTES));
    }

    @Test
    void ignoresUnknownFields() throws IOException {
        byte[] shape = cbor(Map.of("t", 6, "single", true, "later", List.of(Map.of("a", "b"), 7)));
        assertThat(ControlCodec.decode(shape, "peer")).isEqualTo(new TransferMessage.SourceShape(true));
    }

    @Test
    void refusesAMessageWithoutARequiredField() throws IOException {
        byte[] opened = cbor(Map.of("t", 4, "session", ID, "secret", SECRET, "lanes", 1, "clear", false));
        assertThatThrownBy(() -> ControlCodec.decode(opened, "peer"))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("bad or missing rdma");
    }

    @Test
    void hasAnExampleOfEveryMessageHere() {
        Set<Class<?>> permitted = Stream.of(ControlMessage.class.getPermittedSubclasses())
                .flatMap(family -> Stream.of(family.getPermittedSubclasses()))
                .collect(Collectors.toSet());
        assertThat(everyMessage().map(Object::getClass).toList())
                .containsAll(permitted)
                .hasSize(permitted.size());
    }

    /** The order is part of the wire format: a constant that moves is another version of the protocol. */
    @Test
    void pinsTheOrderOfEveryEnumThatTravels() {
        assertThat(Arrays.toString(FileEntry.Kind.values())).isEqualTo("[FILE, DIRECTORY, LINK, STREAM]");
        assertThat(Arrays.toString(Direction.values())).isEqualTo("[PUSH, PULL]");
        assertThat(Arrays.toString(TargetRules.Existing.values())).isEqualTo("[SKIP_SAME, OVERWRITE, SKIP, FAIL]");
        assertThat(Arrays.toString(TargetRules.Comparison.values())).isEqualTo("[TIME, DIGEST, SIZE]");
        assertThat(Arrays.toString(TargetRules.Durability.values())).isEqualTo("[END, CHUNK, NONE]");
        assertThat(Arrays.toString(TargetRules.DirectIo.values())).isEqualTo("[AUTO, ALWAYS, NEVER]");
        assertThat(Arrays.toString(TargetRules.Preserve.values()))
                .isEqualTo("[MODE, TIMES, LINKS, XATTRS, OWNER, ACLS, HARDLINKS]");
        assertThat(Arrays.toString(ThirdPartyMessage.FileEnd.values()))
                .isEqualTo("[COPIED, RESUMED, SKIPPED, FAILED, WOULD_COPY, WOULD_REPLACE, DELETED, WOULD_DELETE]");
        assertThat(Arrays.toString(FileOperation.Action.values()))
                .isEqualTo("[STAT, LIST, SUM, MAKE_DIRECTORY, MOVE, REMOVE, SPACE, READ]");
        assertThat(Arrays.toString(LaneReason.values())).isEqualTo("[WORK, NETWORK, FEWER, MORE, LOSS, UNDONE]");
        assertThat(Arrays.toString(TransferMessage.VerdictKind.values()))
                .isEqualTo("[MADE, SKIPPED, PART, FAILED, WOULD_COPY, COMPARE, WOULD_REPLACE]");
    }

    @Test
    void refusesRangesThatOverlapOrRunOver() {
        for (List<Range> ranges : List.of(
                List.of(new Range(0, 10), new Range(5, 10)),
                List.of(new Range(0, 0)),
                List.of(new Range(7, 1)),
                List.of(new Range(TreeDigest.LEAF_BYTES, Long.MAX_VALUE)))) {
            byte[] bytes = ControlCodec.encode(new TransferMessage.Verdicts(
                    0, 1, List.of(new TransferMessage.Verdict(0, TransferMessage.VerdictKind.PART, ranges, null))));

            assertThatThrownBy(() -> ControlCodec.decode(bytes, "peer")).isInstanceOf(TransferException.class);
        }
    }

    /** A range from a peer must fit a possible file, or the session ends. */
    @Test
    void refusesImpossibleRanges() throws IOException {
        long mib = 1 << 20;
        assertThat(EntryCodec.read(entryFields(8 * mib, 8 * mib, 20 * mib, 8 * mib))
                        .range())
                .isEqualTo(new FileRange(8 * mib, 20 * mib, 8 * mib));
        for (List<?> fields : List.of(
                // Not at a multiple of its length, so that it overlaps two others.
                entryFields(8 * mib, 4 * mib, 20 * mib, 8 * mib),
                // Beyond the end, before the start, and larger or smaller than its place.
                entryFields(8 * mib, 24 * mib, 20 * mib, 8 * mib),
                entryFields(8 * mib, -8 * mib, 20 * mib, 8 * mib),
                entryFields(8 * mib, 16 * mib, 20 * mib, 8 * mib),
                entryFields(4 * mib, 0, 20 * mib, 8 * mib),
                entryFields(20 * mib, 0, 20 * mib, 8 * mib),
                // Not a power of two, shorter than a chunk, as long as the file, and more ranges than can be assembled.
                entryFields(9 * mib, 0, 20 * mib, 9 * mib),
                entryFields(4 * mib, 0, 20 * mib, 4 * mib),
                entryFields(8 * mib, 0, 8 * mib, 8 * mib),
                entryFields(8 * mib, 0, Long.MAX_VALUE, 8 * mib),
                entryFields(0, 0, 0, 0),
                // The whole file, with a different size.
                entryFields(8 * mib, FileRange.ALL, 20 * mib, 8 * mib))) {
            assertThatThrownBy(() -> EntryCodec.read(fields))
                    .as("%s", fields.get(6))
                    .isInstanceOf(IOException.class);
        }
    }

    private static List<?> entryFields(long sizeBytes, long offset, long fileBytes, long rangeBytes) {
        List<Object> range = List.of(offset, fileBytes, rangeBytes);
        List<Object> metadata = List.of(0644L, 0L, 0L, 0L, 0L, List.of());
        return Arrays.asList(new byte[] {'f'}, 0L, sizeBytes, metadata, false, null, range);
    }

    private static FileMessage.Operate operate(int id, FileOperation.Action action, int paths) {
        return new FileMessage.Operate(
                id, new FileOperation(action, Collections.nCopies(paths, ODD), false, DigestKind.NONE));
    }

    @Test
    void refusesMoreOfAVerificationThanItsBounds() {
        for (ControlMessage message : List.of(
                operate(0, FileOperation.Action.STAT, 1),
                new FileMessage.More(1, Bounds.MAX_VERIFY_PAGES + 1),
                new FileMessage.More(1, 0),
                new FileMessage.Stop(0),
                new FileMessage.Data(0, new byte[1], new byte[16]),
                new FileMessage.Data(1, new byte[Bounds.MAX_READ_BYTES + 1], new byte[16]),
                new FileMessage.Data(1, new byte[1], new byte[15]),
                new VerifyMessage.VerifyMore(Bounds.MAX_VERIFY_PAGES + 1),
                new VerifyMessage.VerifyMore(0),
                new VerifyMessage.OpenList(ODD, true, true, 99, null),
                new VerifyMessage.OpenList(ODD, true, true, 5000, new Cleaning(-1, true)),
                new VerifyMessage.SpaceReport(ODD, -2, 0, 0, 0),
                new VerifyMessage.OpenVerify(
                        ODD, DigestKind.NONE, false, false, false, Bounds.MAX_VERIFY_THREADS + 1, 5000),
                new VerifyMessage.VerifyNames(new ArrayList<>(Collections.nCopies(
                        Bounds.MAX_PAGE_ENTRIES + 1, new VerifyMessage.VerifyName(ODD, false, false)))),
                new VerifyMessage.VerifyPage(
                        new ArrayList<>(Collections.nCopies(Bounds.MAX_PAGE_ENTRIES + 1, CheckedEntry.absent(ODD)))),
                new VerifyMessage.VerifyPage(
                        List.of(new CheckedEntry(ODD, null, new byte[DigestKind.MAX_BYTES + 1], null))))) {
            byte[] bytes = ControlCodec.encode(message);

            assertThatThrownBy(() -> ControlCodec.decode(bytes, "peer")).isInstanceOf(TransferException.class);
        }
    }

    @Test
    void noOperationIsMadeThatAServerCannotAccept() {
        for (ThrowingCallable maker : List.<ThrowingCallable>of(
                () -> operate(1, FileOperation.Action.STAT, 0),
                () -> operate(1, FileOperation.Action.MOVE, 1),
                () -> operate(1, FileOperation.Action.LIST, 2),
                () -> operate(1, FileOperation.Action.STAT, 1_025))) {
            assertThatThrownBy(maker)
                    .isInstanceOfSatisfying(
                            TransferException.class,
                            e -> assertThat(e.is(Cause.USAGE)).isTrue());
        }
    }

    /** Other operations of its session go on. */
    @Test
    void anOperationThatAServerCannotAcceptIsKnownByItsNumber() {
        byte[] moving = ControlCodec.encode(operate(9, FileOperation.Action.MOVE, 2));
        byte[] listing = ControlCodec.encode(operate(9, FileOperation.Action.LIST, 1));
        int action = Arrays.mismatch(moving, listing);
        moving[action] = listing[action];
        FileMessage.Operate arrived = (FileMessage.Operate) ControlCodec.decode(moving, "peer");
        assertThat(arrived.id()).isEqualTo(9);
        assertThat(arrived.operation()).isNull();
        assertThat(arrived.refusal()).isNotNull().extracting(Failure::cause).isEqualTo(Cause.USAGE);
    }

    /** A client is not known to itself by the address from which its server sees it. */
    @Test
    void aFailureOfTheReceiversHostIsHereForIt() {
        Failure why = Failure.of(Cause.NO_SPACE, "full").from("192.0.2.1:7");
        byte[] back = ControlCodec.encode(new SessionMessage.Failed(why), "192.0.2.1:7");
        assertThat(((SessionMessage.Failed) ControlCodec.decode(back, "fdt://a:1"))
                        .why()
                        .place())
                .isEqualTo(Failure.HERE);
        byte[] onward = ControlCodec.encode(new SessionMessage.Failed(why), "192.0.2.2:7");
        assertThat(((SessionMessage.Failed) ControlCodec.decode(onward, "fdt://a:1"))
                        .why()
                        .place())
                .isEqualTo("192.0.2.1:7");
        byte[] own = ControlCodec.encode(
                new VerifyMessage.VerifyPage(List.of(CheckedEntry.unreadable(
                        ODD, Failure.of(Cause.UNREADABLE, "no").exception()))),
                "192.0.2.1:7");
        Failure read = ((VerifyMessage.VerifyPage) ControlCodec.decode(own, "fdt://a:1"))
                .entries()
                .get(0)
                .failure();
        assertThat(read).isNotNull().extracting(Failure::place).isEqualTo("fdt://a:1");
    }

    @Test
    void refusesMoreOfAThirdPartyCopyThanItsBounds() {
        ThirdPartyMessage.FileReport told =
                new ThirdPartyMessage.FileReport("f", ThirdPartyMessage.FileEnd.SKIPPED, 0, Map.of(), null);
        String longName = "h".repeat(Bounds.MAX_HOST_CHARS + 1);
        for (ControlMessage message : List.of(
                new ThirdPartyMessage.Delegated("k".repeat(Bounds.MAX_NAME_CHARS + 1), SECRET, SECRET),
                new ThirdPartyMessage.Delegated("k", new byte[31], SECRET),
                new ThirdPartyMessage.Delegated("k", SECRET, new byte[31]),
                thirdParty("", 0, new byte[32]),
                thirdParty("h", 65_536, new byte[32]),
                thirdParty(longName, 1, new byte[32]),
                thirdParty("h", 1, new byte[33]),
                new ThirdPartyMessage.ThirdPartyStarted("s", Bounds.MAX_LANES + 1, "epoll", "h"),
                new ThirdPartyMessage.ThirdPartyProgress(new Progress(
                        new Progress.Files(0, 0, 0, 0),
                        new Progress.Bytes(-2, 0, Summary.Bytes.of(0, new Moved(0, 0, 0, 0, 0))),
                        0,
                        true,
                        0)),
                new ThirdPartyMessage.ThirdPartyProgress(new Progress(
                        new Progress.Files(0, 0, -1, 0),
                        new Progress.Bytes(0, 0, Summary.Bytes.of(0, new Moved(0, 0, 0, 0, 0))),
                        0,
                        true,
                        0)),
                new ThirdPartyMessage.ThirdPartyFiles(
                        new ArrayList<>(Collections.nCopies(Bounds.MAX_TOLD_FILES + 1, told))),
                new ThirdPartyMessage.ThirdPartyReceipt(new byte[Bounds.MAX_RECEIPT_PART_BYTES + 1], 0),
                new ThirdPartyMessage.ThirdPartyReceipt(new byte[1], Bounds.MAX_RECEIPT_BYTES + 1),
                new ThirdPartyMessage.ThirdPartyFilesHeard(0),
                new ThirdPartyMessage.ThirdPartyFilesHeard(Bounds.MAX_TOLD_PAGES + 2))) {
            byte[] bytes = ControlCodec.encode(message);

            assertThatThrownBy(() -> ControlCodec.decode(bytes, "peer")).isInstanceOf(TransferException.class);
        }
    }

    private static ThirdPartyMessage thirdParty(String host, int port, byte[] fingerprint) {
        return new ThirdPartyMessage.OpenThirdParty(
                request(TransferPlan.from(List.of(ODD))),
                new ThirdPartyMessage.Target(host, port, fingerprint, "k", SECRET),
                0,
                0,
                ThirdPartyMessage.ATTACHED,
                null);
    }

    @Test
    void truncatesCoresAndNicsToBounds() {
        HostView read = ((SessionMessage.HostReport) ControlCodec.decode(
                        ControlCodec.encode(new SessionMessage.HostReport(
                                view(Bounds.MAX_VIEW_CORES + 1, Bounds.MAX_VIEW_NICS + 1))),
                        "peer"))
                .view();

        assertThat(read).isEqualTo(view(Bounds.MAX_VIEW_CORES, Bounds.MAX_VIEW_NICS));
    }

    static Stream<Map<String, Object>> hostsOutOfBounds() {
        List<Object> core = List.of(0, 0, 0, 0, 0, 0, 0, 0, 0);
        List<Object> nic = List.of("eth0", 1, "bond0", 0, 0, 0, 0);
        return Stream.of(
                Map.of("cores", Collections.nCopies(Bounds.MAX_VIEW_CORES + 1, core)),
                Map.of("nics", Collections.nCopies(Bounds.MAX_VIEW_NICS + 1, nic)),
                Map.of("cores", List.of(List.of(Bounds.MAX_CORES, 0, 0, 0, 0, 0, 0, 0, 0))),
                Map.of("cores", List.of(List.of(0, -2, 0, 0, 0, 0, 0, 0, 0))),
                Map.of("cores", List.of(List.of(0, 0, 1001, 0, 0, 0, 0, 0, 0))),
                Map.of("cores", List.of(List.of(0, 0, -1, 0, 0, 0, 0, 0, 0))),
                Map.of("cores", List.of(List.of(0, 0, 0))),
                Map.of("cores", List.of(7)),
                Map.of("cores", 7),
                Map.of("nics", List.of(List.of("e".repeat(Bounds.MAX_NAME_CHARS + 1), 1, "b", 0, 0, 0, 0))),
                Map.of("nics", List.of(List.of("eth0", 1, 7, 0, 0, 0, 0))),
                Map.of("nics", List.of(List.of("eth0", 1, "b", -2, 0, 0, 0))),
                Map.of("nics", List.of(Collections.nCopies(17, "eth0"))),
                // Escaping makes it longer than the limit.
                Map.of("host", "\u0007".repeat(Bounds.MAX_NAME_CHARS)),
                Map.of("host", 7));
    }

    @ParameterizedTest
    @MethodSource("hostsOutOfBounds")
    void refusesAHostThatIsOutOfBounds(Map<String, Object> wrong) throws Exception {
        Map<String, Object> whole = new HashMap<>(Map.of("t", 25, "host", "h", "cores", List.of(), "nics", List.of()));
        assertThat(ControlCodec.decode(cbor(whole), "peer")).isInstanceOf(SessionMessage.HostReport.class);
        whole.putAll(wrong);
        byte[] bytes = cbor(whole);

        assertThatThrownBy(() -> ControlCodec.decode(bytes, "peer"))
                .isInstanceOfSatisfying(
                        TransferException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(FailureKind.VERSION));
    }

    private static final List<Object> FULL = List.of("no-space", 5, "full", "", "/x", "ENOSPC", "");

    private static Failure failed(Object... fields) throws IOException {
        byte[] bytes = cbor(Map.of("t", 5, "why", Arrays.asList(fields)));
        return ((SessionMessage.Failed) ControlCodec.decode(bytes, "fdt://dtn2:27321")).why();
    }

    @Test
    void aFailureCrossesWithAllItsFields() throws Exception {
        Failure sent = new Failure(Cause.NO_SPACE, Failure.HERE, "/run7/x", "no space left", "ENOSPC", "free some");

        ControlMessage arrived =
                ControlCodec.decode(ControlCodec.encode(new SessionMessage.Failed(sent)), "fdt://dtn2:27321");

        assertThat(((SessionMessage.Failed) arrived).why()).isEqualTo(sent.from("fdt://dtn2:27321"));
        assertThat(((SessionMessage.Failed) arrived).why().text()).isEqualTo("fdt://dtn2:27321/run7/x: no space left");
    }

    /** The sender is one end of a copy between two servers, and the failure is of the other one. */
    @Test
    void aFailureKeepsThePlaceThatItHas() throws Exception {
        assertThat(failed("busy", 11, "busy", "fdt://dtn3:27321", "/x", null, null)
                        .place())
                .isEqualTo("fdt://dtn3:27321");
    }

    @Test
    void aWordOfANewerReleaseHasTheMeaningOfItsExitCode() throws Exception {
        assertThat(failed("new-word", 5, "full", "", null, null, null).cause()).isEqualTo(Cause.TARGET);
        assertThat(failed("no-space", 7, "no", "", null, null, null).cause()).isEqualTo(Cause.REFUSED);
        assertThat(failed("new-word", 99, "new", "", null, null, null).cause()).isEqualTo(Cause.UNKNOWN);
        assertThat(failed("new-word", 1, "new", "", null, null, null).cause()).isEqualTo(Cause.UNKNOWN);
    }

    static Stream<Arguments> failuresOutOfBounds() {
        return Stream.of(
                Arguments.of(1, 0),
                Arguments.of(1, 256),
                Arguments.of(0, 7),
                Arguments.of(2, 7),
                Arguments.of(2, "x".repeat(Failure.MAX_DETAIL_CHARS + 1)),
                Arguments.of(3, "x".repeat(Failure.MAX_PLACE_CHARS + 1)),
                Arguments.of(4, "x".repeat(Failure.MAX_PATH_CHARS + 1)),
                Arguments.of(5, "x".repeat(Failure.MAX_ERRNO_CHARS + 1)),
                Arguments.of(6, "x".repeat(Failure.MAX_REMEDY_CHARS + 1)));
    }

    /** The peer breaks the protocol, and this fdt has no bug. */
    @ParameterizedTest
    @MethodSource("failuresOutOfBounds")
    void aFailureOutOfBoundsIsAMistakeOfThePeer(int field, Object wrong) throws Exception {
        Object[] fields = FULL.toArray();
        failed(fields);
        fields[field] = wrong;

        assertThatThrownBy(() -> failed(fields))
                .isInstanceOfSatisfying(
                        TransferException.class,
                        broken -> assertThat(broken.is(Cause.MALFORMED)).isTrue())
                .hasMessageContaining("malformed control message from fdt://dtn2:27321");
    }

    /** Encodes any map as CBOR, whether it is a message or not. */
    static byte[] cbor(Map<String, ?> map) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = new CBORFactory().createGenerator(out)) {
            write(json, map);
        }
        return out.toByteArray();
    }

    private static void write(JsonGenerator json, Object value) throws IOException {
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

    @Test
    void refusesMoreEntriesThanAPageHolds() {
        FileEntry entry = Entries.file("x", 0, EntryMetadata.ofMode(0));
        byte[] bytes = ControlCodec.encode(new TransferMessage.ManifestPage(
                0, new ArrayList<>(Collections.nCopies(Bounds.MAX_PAGE_ENTRIES + 1, entry))));

        assertThatThrownBy(() -> ControlCodec.decode(bytes, "peer"))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("peer");
    }

    /**
     * Goal: no bytes make the decoder throw anything but a transfer exception. Method: valid messages with random bytes
     * changed, cut or appended, and pure noise, from a printed seed.
     */
    @Test
    void survivesAnyBytes() {
        long seed = Long.getLong("fdt.seed", 1);
        Random random = new Random(seed);
        List<byte[]> samples = everyMessage().map(ControlCodec::encode).toList();
        int refused = 0;
        for (int i = 0; i < 60_000; i++) {
            byte[] bytes = samples.get(random.nextInt(samples.size())).clone();
            for (int change = random.nextInt(4); change >= 0; change--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            if (random.nextInt(4) == 0) {
                bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 8));
            }
            try {
                ControlCodec.decode(bytes, "peer");
            } catch (TransferException expected) {
                assertThat(expected.kind()).isEqualTo(FailureKind.VERSION);
                refused++;
            } catch (RuntimeException unexpected) {
                throw new AssertionError("seed " + seed + ", bytes " + Arrays.toString(bytes), unexpected);
            }
        }
        assertThat(refused).isGreaterThan(1000);
    }
}
