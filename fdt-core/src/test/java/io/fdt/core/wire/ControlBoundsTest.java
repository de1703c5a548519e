package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.basic.HostView;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.Cleaning;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.Range;
import io.fdt.core.stats.Moved;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Control messages out of their bounds, which no peer may send. */
final class ControlBoundsTest {
    @Test
    void refusesATokenThatIsTooLong() {
        SessionMessage.Bearer tooLong =
                new SessionMessage.Bearer("t".repeat(SessionMessage.Bearer.MAX_TOKEN_CHARS + 1), "fdt");
        assertThatThrownBy(() -> ControlCodec.decode(ControlCodec.encode(tooLong), "peer"))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("token");
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
                id, new FileOperation(action, Collections.nCopies(paths, ControlMessages.ODD), false, DigestKind.NONE));
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
                new VerifyMessage.OpenList(ControlMessages.ODD, true, true, 99, null),
                new VerifyMessage.OpenList(ControlMessages.ODD, true, true, 5000, new Cleaning(-1, true)),
                new VerifyMessage.SpaceReport(ControlMessages.ODD, -2, 0, 0, 0),
                new VerifyMessage.OpenVerify(
                        ControlMessages.ODD, DigestKind.NONE, false, false, false, Bounds.MAX_VERIFY_THREADS + 1, 5000),
                new VerifyMessage.VerifyNames(new ArrayList<>(Collections.nCopies(
                        Bounds.MAX_PAGE_ENTRIES + 1, new VerifyMessage.VerifyName(ControlMessages.ODD, false, false)))),
                new VerifyMessage.VerifyPage(new ArrayList<>(
                        Collections.nCopies(Bounds.MAX_PAGE_ENTRIES + 1, CheckedEntry.absent(ControlMessages.ODD)))),
                new VerifyMessage.VerifyPage(List.of(
                        new CheckedEntry(ControlMessages.ODD, null, new byte[DigestKind.MAX_BYTES + 1], null))))) {
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

    @Test
    void refusesMoreOfAThirdPartyCopyThanItsBounds() {
        ThirdPartyMessage.FileReport told =
                new ThirdPartyMessage.FileReport("f", ThirdPartyMessage.FileEnd.SKIPPED, 0, Map.of(), null);
        String longName = "h".repeat(Bounds.MAX_HOST_CHARS + 1);
        for (ControlMessage message : List.of(
                new ThirdPartyMessage.Delegated(
                        "k".repeat(Bounds.MAX_NAME_CHARS + 1), ControlMessages.SECRET, ControlMessages.SECRET),
                new ThirdPartyMessage.Delegated("k", new byte[31], ControlMessages.SECRET),
                new ThirdPartyMessage.Delegated("k", ControlMessages.SECRET, new byte[31]),
                ControlMessages.thirdParty("", 0, new byte[32]),
                ControlMessages.thirdParty("h", 65_536, new byte[32]),
                ControlMessages.thirdParty(longName, 1, new byte[32]),
                ControlMessages.thirdParty("h", 1, new byte[33]),
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

    @Test
    void truncatesCoresAndNicsToBounds() {
        HostView read = ((SessionMessage.HostReport) ControlCodec.decode(
                        ControlCodec.encode(new SessionMessage.HostReport(
                                ControlMessages.view(Bounds.MAX_VIEW_CORES + 1, Bounds.MAX_VIEW_NICS + 1))),
                        "peer"))
                .view();

        assertThat(read).isEqualTo(ControlMessages.view(Bounds.MAX_VIEW_CORES, Bounds.MAX_VIEW_NICS));
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
        assertThat(ControlCodec.decode(ControlMessages.cbor(whole), "peer"))
                .isInstanceOf(SessionMessage.HostReport.class);
        whole.putAll(wrong);
        byte[] bytes = ControlMessages.cbor(whole);

        assertThatThrownBy(() -> ControlCodec.decode(bytes, "peer"))
                .isInstanceOfSatisfying(
                        TransferException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(FailureKind.VERSION));
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
}
