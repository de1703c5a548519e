package io.fdt.core.transfer.sending;

import static io.fdt.core.transfer.sending.SendingSide.CHUNK;
import static io.fdt.core.transfer.sending.SendingSide.LEAF;
import static io.fdt.core.transfer.sending.SendingSide.verdict;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.Range;
import io.fdt.core.stats.Summary.FailedFile;
import io.fdt.core.transfer.sending.SendingSide.Chunk;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import io.fdt.core.wire.TransferMessage.Verdict;
import io.fdt.core.wire.TransferMessage.VerdictKind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a sender reacts to its receiver's messages. */
final class SenderTest {
    private final SendingSide side = new SendingSide();

    @AfterEach
    void close() {
        side.close();
        assertThat(side.sources.open()).as("files left open").isZero();
    }

    private static void assertRefused(ThrowingCallable message) {
        assertThatThrownBy(message)
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.VERSION));
    }

    /** Two lanes send at this rate. When the time is over, the data that they still hold does not take long. */
    @ParameterizedTest
    @CsvSource({"1, 15", "1000, 20"})
    void zerosEndWithTheirTimeAndNotLongAfterIt(int leavesPerSecond, int endSecond) {
        side.sources.zeros(TimeUnit.SECONDS.toNanos(20));
        side.decide(side.offerAll());
        side.figures.lanesAlive.set(2);
        int second = 0;
        while (side.sent(TransferMessage.StreamEnded.class).isEmpty()) {
            second++;
            side.figures.bytesMoved.set(2L * second * leavesPerSecond * LEAF);
            side.pass(1_000);
            side.pass(1);
        }
        assertThat(second).isEqualTo(endSecond);
    }

    /** A chunk of no bytes would cost the lane that sends it. */
    @ParameterizedTest
    @CsvSource({"0, 0", "5, 1"})
    void sendsNoEmptyChunkOfNoZeros(int sizeBytes, int chunks) {
        side.sources.zerosOf(sizeBytes);
        SendingSide.RemoteServer end = side.openLane(0);
        side.decide(side.offerAll());
        assertThat(end.takeChunks()).hasSize(chunks).allMatch(Chunk::isSound);
        side.done(0);
        side.sender.work();
        assertThat(side.sent(TransferMessage.Finish.class)).hasSize(1);
    }

    @Test
    void sendsRequestedFilesAndThenFinish() {
        side.sources.directory("d");
        FakeSources.FakeFile file = side.sources.file("d/f", CHUNK + 5);
        side.sources.file("d/empty", 0);
        SendingSide.RemoteServer end = side.openLane(0);
        side.decide(side.offerAll());
        List<Chunk> chunks = end.takeChunks();
        assertThat(chunks).hasSize(2).allMatch(Chunk::isSound);
        assertThat(chunks).extracting(Chunk::offset).containsExactly(0L, (long) CHUNK);
        assertThat(chunks.get(1).bytes()).isEqualTo(new byte[] {
            file.content[CHUNK],
            file.content[CHUNK + 1],
            file.content[CHUNK + 2],
            file.content[CHUNK + 3],
            file.content[CHUNK + 4]
        });
        side.acknowledge(chunks);
        assertThat(side.figures.bytesDone.get()).isEqualTo(CHUNK + 5);
        assertThat(side.figures.filesDone.get())
                .as("acknowledged is not yet in place")
                .isZero();
        side.sender.work();
        assertThat(side.sent(TransferMessage.Finish.class)).isEmpty();
        side.done(1, 2);
        assertThat(side.figures.filesDone.get()).isEqualTo(2);
        assertThat(side.figures.filesPlaced.get()).isEqualTo(2);
        side.sender.work();
        assertThat(side.sent(TransferMessage.Finish.class))
                .singleElement()
                .satisfies(finish -> assertThat(finish.bytesSent()).isEqualTo(CHUNK + 5));
        assertThat(side.sender.isDone()).isFalse();
        side.hear(new TransferMessage.Finished(
                2, CHUNK + 5, 0, 0, 0, null, side.sender.finish().senderLimit(), 1, false));
        assertThat(side.sender.isDone()).isTrue();
    }

    /** Two lanes can finish the last chunks of a file at the same time. */
    @Test
    void aFileInPlaceIsCountedBeforeItsLastAcknowledgement() {
        side.sources.file("f", CHUNK + 5);
        SendingSide.RemoteServer end = side.openLane(0);
        side.decide(side.offerAll());
        List<Chunk> chunks = end.takeChunks();
        assertThat(chunks).hasSize(2);
        side.acknowledge(chunks.subList(1, 2));
        side.done(0);
        assertThat(side.figures.bytesDone.get()).isEqualTo(CHUNK + 5);
        side.acknowledge(chunks.subList(0, 1));
        assertThat(side.figures.bytesDone.get()).as("not twice").isEqualTo(CHUNK + 5);
        assertThat(side.figures.bytesMoved.get()).isEqualTo(CHUNK + 5);
    }

    /** The receiver leaves as soon as it has everything, and its end closes the lanes. */
    @Test
    void noLaneIsLostOnceAllDataHasArrived() {
        List<String> told = new ArrayList<>();
        side.session.session().activity().watchLanes((change, lane, detail) -> told.add(change + " " + lane));
        side.sources.file("f", 5);
        SendingSide.RemoteServer first = side.openLane(0);
        SendingSide.RemoteServer second = side.openLane(1);
        side.decide(side.offerAll());
        first.far.abort(Cause.CONNECTION_LOST.failure("reset"));
        side.settle();
        side.acknowledge(second.takeChunks());
        side.done(0);
        side.sender.work();
        assertThat(side.sent(TransferMessage.Finish.class)).hasSize(1);
        second.far.abort(Cause.CONNECTION_LOST.failure("reset"));
        side.settle();
        assertThat(told).containsExactly("JOINED 0", "JOINED 1", "LOST 0");
    }

    @Test
    void sendsNoSkippedOrFailedFiles() {
        side.sources.file("same", 10);
        side.sources.file("refused", 20);
        side.sources.file("new", 30);
        SendingSide.RemoteServer end = side.openLane(0);
        Verdict failed = new Verdict(1, VerdictKind.FAILED, List.of(), Failure.of(Cause.TARGET, "disk full"));
        side.decide(side.offerAll(), verdict(0, VerdictKind.SKIPPED), failed);
        assertThat(end.takeChunks()).extracting(Chunk::fileId).containsExactly(2);
        assertThat(side.figures.filesSkipped.get()).isEqualTo(1);
        assertThat(side.failedFiles())
                .containsExactly(new FailedFile("refused", Failure.of(Cause.TARGET, "disk full")));
    }

    @Test
    void oneVerdictSettlesFilesInARow() {
        for (int i = 0; i < 5; i++) {
            side.sources.file("f" + i, 10);
        }
        SendingSide.RemoteServer end = side.openLane(0);
        side.decide(side.offerAll(), new Verdict(1, VerdictKind.SKIPPED, List.of(), null, 3));
        assertThat(end.takeChunks()).extracting(Chunk::fileId).containsExactly(0, 4);
        assertThat(side.figures.filesSkipped.get()).isEqualTo(3);
        assertThat(side.figures.filesDone.get()).isEqualTo(3);
        assertThat(side.figures.filesPlaced.get()).isZero();
    }

    /** A block has room for five of these, and the sixth does not fit. */
    @Test
    void readsSmallFilesTogetherAndOpensOthersAlone() {
        for (int i = 0; i < 12; i++) {
            side.sources.file("small" + i, 24_000 + i);
        }
        side.sources.file("large", CHUNK);
        side.sources.file("last", 1);
        SendingSide.RemoteServer end = side.openLane(0);
        side.decide(side.offerAll());
        List<Chunk> chunks = end.takeChunks();
        assertThat(chunks)
                .extracting(Chunk::fileId)
                .containsExactlyElementsOf(IntStream.range(0, 14).boxed().toList());
        assertThat(chunks).allSatisfy(chunk -> assertThat(chunk.isSound()).isTrue());
        assertThat(side.sources.readTogether()).isEqualTo(13);
    }

    @Test
    void aSmallFileThatCannotBeReadWithOthersIsReportedAndTheRestSent() {
        for (int i = 0; i < 3; i++) {
            side.sources.file("before" + i, 100);
        }
        side.sources.file("gone", 200).vanish();
        side.sources.file("written-to", 300).change();
        for (int i = 0; i < 3; i++) {
            side.sources.file("after" + i, 400);
        }
        SendingSide.RemoteServer end = side.openLane(0);
        side.decide(side.offerAll());
        assertThat(end.takeChunks().stream().filter(Chunk::isSound))
                .extracting(Chunk::fileId)
                .containsExactly(0, 1, 2, 5, 6, 7);
        assertThat(side.failedFiles()).extracting(FailedFile::path).containsExactlyInAnyOrder("gone", "written-to");
        assertThat(side.sources.open()).isZero();
    }

    @Test
    void sendsOnlyTheMissingPartOfWhatIsResumed() {
        side.sources.file("f", 3 * CHUNK);
        SendingSide.RemoteServer end = side.openLane(0);
        Range middle = new Range(CHUNK, CHUNK);
        side.decide(side.offerAll(), new Verdict(0, VerdictKind.PART, List.of(middle), null));
        assertThat(end.takeChunks()).extracting(Chunk::offset).containsExactly((long) CHUNK);
        assertThat(side.figures.bytesResumed.get()).isEqualTo(2 * CHUNK);
    }

    @Test
    void sendsAgainWhatDidNotVerifyAndGivesUpAfterThreeAttempts() {
        side.sources.file("f", 100);
        side.sources.file("other", 50);
        SendingSide.RemoteServer end = side.openLane(0);
        side.decide(side.offerAll());
        assertThat(end.takeChunks()).hasSize(2);
        for (int attempt = 0; attempt < 2; attempt++) {
            side.hear(new TransferMessage.SendAgain(0, 0, attempt));
            assertThat(end.takeChunks())
                    .singleElement()
                    .satisfies(again -> assertThat(again.fileId()).isZero());
        }
        side.hear(new TransferMessage.SendAgain(0, 0, 2));
        assertThat(end.takeChunks()).isEmpty();
        assertThat(side.sent(TransferMessage.SourceFailed.class))
                .singleElement()
                .satisfies(failed -> {
                    assertThat(failed.fileId()).isZero();
                    assertThat(failed.why().kind()).isEqualTo(FailureKind.INTEGRITY);
                });
        side.done(1);
        side.sender.work();
        assertThat(side.sent(TransferMessage.Finish.class))
                .as("the other file is in place")
                .hasSize(1);
    }

    @Test
    void unreadableSourceFailsWithoutAffectingOthers() {
        side.sources.file("gone", 2 * CHUNK).vanish();
        side.sources.file("there", 10);
        SendingSide.RemoteServer end = side.openLane(0);
        side.decide(side.offerAll());
        assertThat(end.takeChunks()).extracting(Chunk::fileId).containsExactly(1);
        assertThat(side.sent(TransferMessage.SourceFailed.class))
                .as("once, not once a chunk")
                .singleElement()
                .satisfies(failed -> assertThat(failed.why().text()).contains("has vanished"));
        assertThat(side.failedFiles()).extracting(file -> file.failure().kind()).containsExactly(FailureKind.SOURCE);
    }

    @Test
    void stopsSendingAFileThatFailedAtTheReceiver() {
        side.sources.file("f", 4 * CHUNK);
        side.decide(side.offerAll());
        side.hear(new TransferMessage.FileFailed(0, Failure.of(Cause.TARGET, "disk full")));
        SendingSide.RemoteServer end = side.openLane(0);
        assertThat(end.takeChunks()).isEmpty();
        assertThat(side.failedFiles()).containsExactly(new FailedFile("f", Failure.of(Cause.TARGET, "disk full")));
        // Messages that the receiver sent before it knew of the failure change nothing.
        side.hear(new TransferMessage.SendAgain(0, 0, 0));
        side.done(0);
        assertThat(side.figures.filesDone.get()).isZero();
    }

    @Test
    void invalidMessagesEndTheSession() {
        Verdict ofOther = verdict(1, VerdictKind.SKIPPED);
        Verdict partOfDirectory = new Verdict(1, VerdictKind.PART, List.of(new Range(0, 1)), null);
        Verdict tooLong = new Verdict(1, VerdictKind.SKIPPED, List.of(), null, 2);
        List<TransferMessage> wrong = List.of(
                new TransferMessage.Verdicts(0, 3, List.of()),
                new TransferMessage.Verdicts(-1, 1, List.of()),
                new TransferMessage.Verdicts(0, 1, List.of(ofOther)),
                new TransferMessage.Verdicts(0, 2, List.of(partOfDirectory)),
                new TransferMessage.Verdicts(0, 2, List.of(tooLong)),
                new TransferMessage.FilesDone(new int[] {0}, new byte[3]),
                new TransferMessage.Finished(0, 0, 0, 0, 0, null, "none", 0, false),
                new TransferMessage.SourceShape(true));
        for (TransferMessage message : wrong) {
            try (SendingSide fresh = new SendingSide()) {
                fresh.sources.file("f", 100);
                fresh.sources.directory("d");
                assertThat(fresh.offerAll()).isEqualTo(2);
                assertRefused(() -> fresh.hear(message));
            }
        }
    }

    @Test
    void refusesSecondVerdictForAnEntry() {
        side.sources.file("f", 100);
        side.decide(side.offerAll());
        assertRefused(() -> side.decide(1));
    }

    @Test
    void failureOfTheReceiverEndsTheSessionWithItsKind() {
        assertThatThrownBy(() -> side.hear(new SessionMessage.Failed(Failure.of(Cause.TARGET, "disk full"))))
                .hasMessage("disk full")
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.TARGET));
    }
}
