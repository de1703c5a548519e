package io.fdt.core.transfer.receiving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fdt.core.budget.Resource;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Attribute;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.stats.SessionActivity.LaneReason;
import io.fdt.core.transfer.EntryBook;
import io.fdt.core.transfer.TransferObserver.FileOutcome;
import io.fdt.core.transfer.receiving.ReceivingSide.NearEnd;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a receiver answers to the entries that it is offered. */
final class ReceiverTest {
    private static final int PAGE_ENTRIES = 16;
    private static final long ENTRY_BYTES = 64 << 10;

    private final ReceivingSide side = new ReceivingSide(1);
    private int offered;

    @AfterEach
    void close() {
        side.close();
    }

    /** Offers files of one byte, each with an attribute of the maximum length. */
    private void offerPage() {
        Attribute longest = new Attribute(RawPath.ofText("user.x"), new byte[(int) ENTRY_BYTES]);
        List<FileEntry> page = IntStream.range(0, PAGE_ENTRIES)
                .mapToObj(i ->
                        Entries.file("f" + (offered + i), 1, new EntryMetadata(0644, 1, 2, 3, 4, List.of(longest))))
                .toList();
        side.hear(new TransferMessage.ManifestPage(offered, page));
        offered += PAGE_ENTRIES;
    }

    private long decided() {
        return side.sent(TransferMessage.Verdicts.class).stream()
                .mapToLong(TransferMessage.Verdicts::count)
                .sum();
    }

    @Test
    void openEntriesAreLimitedByTheirShareOfTheHeap() {
        long decided = 0;
        while (decided == offered) {
            offerPage();
            decided += decided();
        }
        assertThat(decided * ENTRY_BYTES).isBetween(4L << 20, 33L << 20);
        NearEnd lane = side.openLane(0);
        for (int id = 0; id < PAGE_ENTRIES; id++) {
            lane.send(side.new Frame(id, 0, new byte[1]).encoded());
        }
        long waiting = offered - decided;
        long later = 0;
        while (later < Math.min(waiting, PAGE_ENTRIES)) {
            side.sent(TransferMessage.FilesDone.class);
            later += decided();
        }
        assertThat(later).isEqualTo(Math.min(waiting, PAGE_ENTRIES));
    }

    @Test
    void senderThatIgnoresTheWindowEndsTheSession() {
        assertThatThrownBy(() -> {
                    while (offered * ENTRY_BYTES < 128L << 20) {
                        offerPage();
                    }
                })
                .isInstanceOfSatisfying(
                        TransferException.class,
                        e -> assertThat(e.is(Cause.MALFORMED)).isTrue());
    }

    private static void assertMalformed(ThrowingCallable offer, String why) {
        assertThatThrownBy(offer)
                .isInstanceOfSatisfying(
                        TransferException.class,
                        e -> assertThat(e.is(Cause.MALFORMED)).isTrue())
                .hasMessageContaining(why);
    }

    /** The number of an entry is its place in the manifest, so another order would mix up files. */
    @Test
    void aManifestOutOfOrderEndsTheSession() {
        List<FileEntry> page = List.of(Entries.file("f", 1));
        assertMalformed(() -> side.hear(new TransferMessage.ManifestPage(1, page)), "out of order");
        side.hear(new TransferMessage.ManifestPage(0, page));
        assertMalformed(() -> side.hear(new TransferMessage.ManifestPage(0, page)), "out of order");
    }

    @Test
    void veryManyOpenFilesEndTheSession() {
        int[] page = new int[1024];
        Arrays.fill(page, 1);
        assertMalformed(
                () -> {
                    for (offered = 0; offered < 100_000; offered += page.length) {
                        side.offer(page);
                    }
                },
                "files at once");
        assertThat(offered).isBetween(65_536, 65_536 + page.length);
    }

    /** Two lanes would write different data to one partial. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFileIsOfferedOnceAtATime(boolean compares) {
        if (compares) {
            side.compared.add(0);
        }
        FileEntry file = Entries.file("f", 1);
        side.hear(new TransferMessage.ManifestPage(0, List.of(file, file)));
        assertThat(side.sent(TransferMessage.Verdicts.class).get(0).exceptions())
                .filteredOn(verdict -> verdict.fileId() == 1)
                .singleElement()
                .satisfies(verdict -> assertThat(verdict.why().text()).contains("offered twice"));
        side.hear(new TransferMessage.SourceFailed(0, file.path(), Failure.of(Cause.SOURCE, "it failed")));
        side.hear(new TransferMessage.ManifestPage(2, List.of(file)));
        assertThat(side.sent(TransferMessage.Verdicts.class).get(0).exceptions())
                .isEmpty();
    }

    /** A session of many files would otherwise use up the share of the heap that its key has. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anEntryGivesBackItsHeapWhenItEnds(boolean compares) {
        long before = side.session.session().budget().held(Resource.HEAP);
        for (int id = 0; id < PAGE_ENTRIES; id++) {
            if (compares) {
                side.compared.add(id);
            }
        }
        offerPage();
        assertThat(side.session.session().budget().held(Resource.HEAP)).isGreaterThan(before + ENTRY_BYTES);
        for (int id = 0; id < PAGE_ENTRIES; id++) {
            side.hear(new TransferMessage.SourceFailed(id, RawPath.ofText("f"), Failure.of(Cause.SOURCE, "it failed")));
        }
        assertThat(side.session.session().budget().held(Resource.HEAP)).isLessThan(before + ENTRY_BYTES);
    }

    /**
     * Holes cost their sender nothing, and the receiver must remember each isolated one. The same holds for digests of
     * holes.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSenderThatLeavesVeryManyGapsIsStopped(boolean compares) {
        long sizeBytes = 1L << 40;
        FileEntry sparse = new FileEntry(RawPath.ofText("sparse"), Kind.FILE, sizeBytes, Entries.METADATA, true, null);
        if (compares) {
            side.compared.add(0);
        }
        side.hear(new TransferMessage.ManifestPage(0, List.of(sparse)));
        NearEnd lane = side.openLane(0);
        ReceivingSide.Frame hole = side.new Frame(0, 0, new byte[ReceivingSide.LEAF]);
        hole.map = 0;
        hole.digestOnly = compares;
        ByteBuffer frames = ByteBuffer.allocate(1 << 20);
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 100_000; i++) {
                        hole.offset = 2L * i * ReceivingSide.LEAF;
                        frames.put(hole.encoded());
                        if (frames.remaining() < 4096) {
                            lane.send(frames.flip());
                            frames.clear();
                        }
                    }
                })
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.LIMIT));
        assertThat(hole.offset / 2 / ReceivingSide.LEAF).isGreaterThan(30_000);
    }

    /** What has arrived of a source that changed mixes two states of it. */
    @Test
    void aFileWhoseSourceFailedIsNotKeptForResume() {
        side.offer(2 * ReceivingSide.CHUNK);
        side.openLane(0).send(side.new Frame(0, 0, new byte[ReceivingSide.CHUNK]).encoded());
        assertThat(side.sent(TransferMessage.Acknowledged.class)).hasSize(1);
        side.hear(new TransferMessage.SourceFailed(0, RawPath.ofText("f0"), Failure.of(Cause.CHANGED, "it changed")));
        assertThat(side.target(0).isClosed()).isTrue();
        assertThat(side.target(0).keptForResume()).isFalse();
    }

    @Test
    void aFileThatCannotBePublishedIsKeptForResume() {
        side.offer(1);
        side.target(0).cannotBePublished = true;
        side.openLane(0).send(side.new Frame(0, 0, new byte[1]).encoded());
        assertThat(side.target(0).isClosed()).isTrue();
        assertThat(side.target(0).keptForResume()).isTrue();
    }

    /** Otherwise its partial would stay open and locked for as long as the process runs. */
    @Test
    void closesAbandonedFileThatCannotBePublished() {
        side.offer(1);
        side.target(0).cannotBePublished = true;
        side.target(0).whilePublishing = () -> side.receiver.onMessage(
                new TransferMessage.SourceFailed(0, RawPath.ofText("f0"), Failure.of(Cause.CHANGED, "it changed")));
        side.openLane(0).send(side.new Frame(0, 0, new byte[1]).encoded());
        assertThat(side.target(0).isClosed()).isTrue();
        assertThat(side.sent(TransferMessage.FileFailed.class)).isEmpty();
    }

    /** The other ranges of a job are copied, as if the other copy had been met before the data was sent. */
    @Test
    void aRangeThatAnotherCopyWritesFailsAlone() {
        side.offerRange();
        side.target(0).cannotBePublished = true;
        side.target(0).publishFailure = Cause.BUSY;
        side.openLane(0).send(side.new Frame(0, 0, new byte[1]).encoded());
        assertThat(side.target(0).isClosed()).isTrue();
        assertThat(side.sent(TransferMessage.FileFailed.class)).hasSize(1);
    }

    /** If another program changed the file, the digests no longer describe it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void keepsWhatItComparedUnlessThatHasChangedSince(boolean changes) {
        side.compared.add(0);
        side.offer(ReceivingSide.CHUNK);
        ReceivingSide.FakeTarget there = side.target(0);
        there.zero(0, ReceivingSide.CHUNK);
        there.looks = changes ? 1 : 2;
        side.sent(TransferMessage.Verdicts.class);
        ReceivingSide.Frame digest = side.new Frame(0, 0, new byte[ReceivingSide.CHUNK]);
        digest.digestOnly = true;
        side.openLane(0).send(digest.encoded());
        assertThat(side.kept).hasSize(changes ? 0 : 1);
        assertThat(side.sent(TransferMessage.Verdicts.class))
                .containsExactly(new TransferMessage.Verdicts(0, 1, changes ? List.of() : List.of(there(0, 1))));
    }

    /** All further files would fail in the same way. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aHostWithoutDescriptorsEndsTheSessionWhenItKeepsAFile(boolean empty) {
        side.compared.add(0);
        side.keepFailure = Cause.HOST_LIMIT;
        TransferException ended = catchThrowableOfType(TransferException.class, () -> {
            side.offer(empty ? 0 : ReceivingSide.CHUNK);
            side.target(0).zero(0, ReceivingSide.CHUNK);
            ReceivingSide.Frame digest = side.new Frame(0, 0, new byte[ReceivingSide.CHUNK]);
            digest.digestOnly = true;
            side.openLane(0).send(digest.encoded());
        });
        assertThat(ended).isNotNull();
        assertThat(ended.failure().cause()).isEqualTo(Cause.HOST_LIMIT);
    }

    /** A book holds an object for each open entry, with the attributes that the sender gave it: up to 64 KiB. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void settlesAnEntryWhoseSourceFailedWhetherItIsComparedOrNot(boolean compares) {
        Set<FileEntry> open = Collections.newSetFromMap(new IdentityHashMap<>());
        side.ledger.writeTo(new EntryBook() {
            @Override
            public void found(FileEntry entry) {
                open.add(entry);
            }

            @Override
            public void settled(
                    FileEntry entry, long sizeBytes, byte[] value, FileOutcome outcome, @Nullable Failure why) {
                assertThat(open.remove(entry)).isTrue();
            }
        });
        for (int id = 0; id < 100; id++) {
            if (compares) {
                side.compared.add(id);
            }
            side.offer(ReceivingSide.CHUNK);
            side.hear(new TransferMessage.SourceFailed(id, RawPath.ofText("f"), Failure.of(Cause.SOURCE, "it failed")));
        }
        assertThat(open).isEmpty();
    }

    /** A few bytes from the sender make this side read a chunk: only once, however often they come. */
    @Test
    void comparesEachChunkOnce() {
        side.compared.add(0);
        side.offer(2 * ReceivingSide.CHUNK);
        ReceivingSide.FakeTarget there = side.target(0);
        there.zero(0, 2 * ReceivingSide.CHUNK);
        there.looks = 1_000;
        ReceivingSide.Frame digest = side.new Frame(0, 0, new byte[ReceivingSide.CHUNK]);
        digest.digestOnly = true;
        NearEnd lane = side.openLane(0);
        for (int i = 0; i < 100; i++) {
            lane.send(digest.encoded());
        }
        assertThat(there.looks).isEqualTo(999);
    }

    private List<String> warnings() {
        return side.sent(SessionMessage.Warning.class).stream()
                .map(SessionMessage.Warning::message)
                .toList();
    }

    @Test
    void warnsOnceThatOwnersAreNotPreserved() {
        try (ReceivingSide ofUser = new ReceivingSide(1, false)) {
            assertThat(ofUser.sent(SessionMessage.Warning.class))
                    .extracting(SessionMessage.Warning::message)
                    .singleElement()
                    .asString()
                    .contains("does not run as root")
                    .contains("setuid");
        }
    }

    @Test
    void refusesHardLinkToAFileOfNoEarlierEntry() {
        FileEntry name =
                new FileEntry(RawPath.ofText("name"), Kind.FILE, 5, Entries.METADATA, false, RawPath.ofText("earlier"));
        side.hear(new TransferMessage.ManifestPage(0, List.of(name)));
        assertThat(side.sent(TransferMessage.Verdicts.class).get(0).exceptions())
                .singleElement()
                .satisfies(verdict -> {
                    assertThat(verdict.kind()).isEqualTo(TransferMessage.VerdictKind.FAILED);
                    assertThat(verdict.why().text()).contains("hard link to earlier, which was not copied");
                });
    }

    @Test
    void combinesVerdictsAboutExistingFilesInARow() {
        side.there.addAll(List.of(1, 2, 3, 5));
        side.offer(1, 1, 1, 1, 1, 1);
        assertThat(side.sent(TransferMessage.Verdicts.class))
                .containsExactly(new TransferMessage.Verdicts(0, 6, List.of(there(1, 3), there(5, 1))));
    }

    /**
     * A name in an old encoding is four times as long in a message, so the reasons for many such entries do not fit
     * into one message.
     */
    @Test
    void splitsLongFailureReasonsIntoSeveralMessages() {
        byte[] name = new byte[2000];
        Arrays.fill(name, (byte) 0xE9);
        side.fails = true;
        FileEntry entry = Entries.file(RawPath.ofBytes(name), 1);
        side.hear(new TransferMessage.ManifestPage(0, Collections.nCopies(400, entry)));
        List<TransferMessage.Verdicts> verdicts = side.sent(TransferMessage.Verdicts.class);
        assertThat(verdicts.stream().mapToInt(TransferMessage.Verdicts::count).sum())
                .isEqualTo(400);
        assertThat(verdicts).hasSizeBetween(2, 40);
    }

    private static TransferMessage.Verdict there(int firstId, int count) {
        return new TransferMessage.Verdict(firstId, TransferMessage.VerdictKind.SKIPPED, List.of(), null, count);
    }

    @Test
    void reportsWhyAFileStartsOver() {
        side.dropped = "its partial file was changed";
        side.offer(1);
        assertThat(warnings()).containsExactly("f0: starts over, its partial file was changed");
    }

    @Test
    void countsDirectoriesThatCouldNotBeCompletedAsFailed() {
        side.incompleteDirectories.addAll(List.of(RawPath.ofText("a"), RawPath.ofText("b")));
        side.hear(new TransferMessage.Finish(0, 0, "none", 0));
        assertThat(side.sent(TransferMessage.Deleted.class))
                .containsExactly(new TransferMessage.Deleted(List.of(
                        new TransferMessage.Deletion(
                                RawPath.ofText("a"),
                                true,
                                Failure.of(Cause.TARGET, "no times here").from("nobody:0")),
                        new TransferMessage.Deletion(
                                RawPath.ofText("b"),
                                true,
                                Failure.of(Cause.TARGET, "no times here").from("nobody:0")))));
        assertThat(side.sent(TransferMessage.Finished.class))
                .extracting(TransferMessage.Finished::filesFailed)
                .containsExactly(2L);
        assertThat(warnings()).isEmpty();
    }

    @Test
    void whatIsNotCompleteWhenASessionEndsIsKeptForResume() {
        ReceivingSide ending = new ReceivingSide(1);
        ending.offer(2 * ReceivingSide.CHUNK);
        NearEnd lane = ending.openLane(0);
        lane.send(ending.new Frame(0, 0, new byte[ReceivingSide.CHUNK]).encoded());
        ending.close();
        assertThat(lane.isClosed()).isTrue();
        assertThat(ending.target(0).isClosed()).isTrue();
        assertThat(ending.target(0).keptForResume()).isTrue();
    }

    /** Returns the digest that the sender gets of a copy of one file of zeros, or of two with the second skipped. */
    private static @Nullable String treeDigest(String how) {
        try (ReceivingSide copy = new ReceivingSide(1)) {
            switch (how) {
                case "kept" -> copy.compared.add(0);
                case "skipped" -> copy.there.add(1);
                default -> {}
            }
            if (!how.equals("nothing")) {
                int[] sizes = new int[how.equals("skipped") ? 2 : 1];
                Arrays.fill(sizes, ReceivingSide.CHUNK);
                copy.offer(sizes);
                copy.target(0).zero(0, ReceivingSide.CHUNK);
                ReceivingSide.Frame chunk = copy.new Frame(0, 0, new byte[ReceivingSide.CHUNK]);
                chunk.digestOnly = how.equals("kept");
                copy.openLane(0).send(chunk.encoded());
            }
            copy.hear(new TransferMessage.Finish(0, 0, "none", 0));
            return copy.sent(TransferMessage.Finished.class).get(0).digest();
        }
    }

    /** A user compares it with that of the source. */
    @Test
    void theDigestOfACopyIsThatOfItsFilesOrUnknown() {
        assertThat(treeDigest("copied"))
                .isNotNull()
                .isEqualTo(treeDigest("kept"))
                .isNotEqualTo(treeDigest("nothing"));
        assertThat(treeDigest("skipped")).as("nobody read the second").isNull();
    }

    /** A file that is open then would be missing in a copy that counts as complete. */
    @Test
    void aCopyEndsOnceAndWithAllOfItsFiles() {
        TransferMessage.Finish end = new TransferMessage.Finish(0, 0, "none", 0);
        try (ReceivingSide early = new ReceivingSide(1)) {
            early.offer(1);
            assertMalformed(() -> early.hear(end), "before all of its files were complete");
        }
        side.offer(1);
        side.openLane(0).send(side.new Frame(0, 0, new byte[1]).encoded());
        side.hear(end);
        assertThat(side.sent(TransferMessage.Finished.class)).hasSize(1);
        assertMalformed(() -> side.offer(1), "after it had finished");
    }

    /** The sender leaves as soon as it is told so, and its end closes the lanes. */
    @Test
    void noLaneIsLostOnceAllDataHasArrived() {
        List<String> told = new ArrayList<>();
        side.session.session().activity().watchLanes((change, lane, detail) -> told.add(change + " " + lane));
        NearEnd first = side.openLane(0);
        NearEnd second = side.openLane(1);
        first.lane.abort(Cause.CONNECTION_LOST.failure("reset"));
        side.settle();
        side.hear(new TransferMessage.Finish(0, 0, "none", 0));
        assertThat(side.sent(TransferMessage.Finished.class)).hasSize(1);
        second.lane.abort(Cause.CONNECTION_LOST.failure("reset"));
        side.settle();
        assertThat(told).containsExactly("JOINED 0", "JOINED 1", "LOST 0");
    }

    @Test
    void opensRequestedNumberOfLanesWithinItsLimits() {
        List<Integer> wanted = new ArrayList<>();
        side.lanes.onLanesRequested(wanted::add);
        for (int count : new int[] {4, 1, 256}) {
            side.hear(new TransferMessage.LanesWanted(count, LaneReason.NETWORK, "the path has room"));
        }
        assertThat(wanted).containsExactly(4, 2, 4);
    }

    /** No packet of the lane arrives any more, so nothing else would show the receiver that it has ended. */
    @Test
    void aLaneThatTheSenderHasGivenUpIsDialledAgain() {
        List<Integer> lost = new ArrayList<>();
        side.lanes.whenLost(lost::add);
        NearEnd silent = side.openLane(0);
        NearEnd other = side.openLane(1);
        side.hear(new TransferMessage.RetireLanes(new int[] {0}));
        assertThat(lost).containsExactly(0);
        assertThat(silent.isClosed()).isTrue();
        assertThat(other.isClosed()).isFalse();
    }

    /** Only a client opens lanes, so only a server may request more of them. */
    @Test
    void serverIgnoresLaneRequests() {
        assertThatThrownBy(() -> side.hear(new TransferMessage.LanesWanted(4, LaneReason.NETWORK, "")))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.VERSION));
    }
}
