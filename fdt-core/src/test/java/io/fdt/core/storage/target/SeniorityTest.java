package io.fdt.core.storage.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.partial.Seniority;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.InBackground;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sessions that share nothing but the file system, as those of two servers do: the oldest one completes its files. */
class SeniorityTest extends TargetTest {
    private static final FileEntry SMALL = fileEntry("f", 4);
    private static final FileEntry LARGE = fileEntry("f", 10L * CHUNK_BYTES);

    private Root root;
    private TargetTree older;
    private TargetTree younger;

    @BeforeEach
    void begin() {
        root = Root.confined(raw(temporary));
        older = open(root, "out", false);
        younger = open(root, "out", false);
    }

    @AfterEach
    void end() {
        younger.close();
        older.close();
        root.close();
    }

    /** Writes on a thread of its own, as a lane does; returns once it waits for the other session. */
    private InBackground<Void> waitingWrite(TargetFile file) {
        InBackground<Void> write = InBackground.run(() -> write(file, bytes("mine"), 0));
        Await.until(
                "it waits or has ended",
                () -> LockSupport.getBlocker(write.thread()) instanceof Seniority || write.hasEnded());
        assertThat(write.hasEnded()).as("it has not waited").isFalse();
        return write;
    }

    private static void assertFails(FailureKind kind, ThrowingCallable step) {
        assertThatExceptionOfType(TransferException.class).isThrownBy(step).matches(failure -> failure.kind() == kind);
    }

    private static void complete(TargetFile file) {
        file.seal();
        file.publish();
    }

    private void assertOnly(String content) throws IOException {
        assertThat(namesIn(temporary.resolve("out"))).containsExactly("f");
        assertThat(temporary.resolve("out/f")).hasContent(content);
    }

    /** The first small file of a tree has a name from the start, as every file has where several sessions write. */
    private void deliverFirstFiles() {
        int number = 0;
        for (TargetTree tree : List.of(older, younger)) {
            deliver(tree, fileEntry("first" + number++, 1), bytes("1"));
        }
    }

    @Test
    void aFurtherSmallFileOfTheYoungerOneEndsAtThatOfTheOlderOne() throws IOException {
        deliverFirstFiles();
        try (TargetFile mine = wanted(older.prepare(SMALL));
                TargetFile other = wanted(younger.prepare(SMALL))) {
            write(mine, bytes("mine"), 0);
            assertFails(FailureKind.BUSY, () -> write(other, bytes("else"), 0));
            complete(mine);
        }
        assertThat(temporary.resolve("out/f")).hasContent("mine");
    }

    @Test
    void theOlderOneWaitsForAFurtherSmallFileOfTheYoungerOne() throws Exception {
        deliverFirstFiles();
        try (TargetFile other = wanted(younger.prepare(SMALL));
                TargetFile mine = wanted(older.prepare(SMALL))) {
            write(other, bytes("else"), 0);
            var write = waitingWrite(mine);
            other.abandon(false);
            write.result();
            complete(mine);
        }
        assertThat(temporary.resolve("out/f")).hasContent("mine");
    }

    @Test
    void theYoungerOneEndsAtAFileThatTheOlderOneIsWriting() throws IOException {
        try (TargetFile mine = wanted(older.prepare(SMALL));
                TargetFile other = wanted(younger.prepare(SMALL))) {
            write(mine, bytes("mine"), 0);
            assertFails(FailureKind.BUSY, () -> write(other, bytes("else"), 0));
            complete(mine);
        }
        assertOnly("mine");
    }

    @Test
    void theOlderOneWaitsUntilTheYoungerOneGivesTheFileUp() throws Exception {
        for (FileEntry entry : List.of(SMALL, LARGE)) {
            try (TargetFile other = wanted(younger.prepare(entry));
                    TargetFile mine = wanted(older.prepare(entry))) {
                write(other, bytes("else"), 0);
                other.record(List.of(new ChunkRecord(0, CHUNK_BYTES, new byte[16])));
                var write = waitingWrite(mine);
                other.abandon(true);
                write.result();
                complete(mine);
            }
            assertThat(namesIn(temporary.resolve("out"))).containsExactly("f");
        }
    }

    @Test
    void theOlderOneReplacesWhatTheYoungerOneCompletesMeanwhile() throws Exception {
        try (TargetFile other = wanted(younger.prepare(SMALL));
                TargetFile mine = wanted(older.prepare(SMALL))) {
            write(other, bytes("else"), 0);
            var write = waitingWrite(mine);
            complete(other);
            write.result();
            complete(mine);
        }
        assertOnly("mine");
    }

    @Test
    void theOlderOneDoesNotWaitToDecideAboutAJournal() throws Exception {
        try (TargetFile other = wanted(younger.prepare(LARGE))) {
            write(other, bytes("else"), 0);
            TargetFile mine = wanted(older.prepare(LARGE));
            var write = waitingWrite(mine);
            other.abandon(false);
            write.result();
            mine.abandon(false);
            mine.close();
        }
    }

    @Test
    void theYoungerOneEndsAtAFileThatTheOlderOneHasCompleted() throws IOException {
        try (TargetFile mine = wanted(older.prepare(SMALL));
                TargetFile other = wanted(younger.prepare(SMALL))) {
            write(mine, bytes("mine"), 0);
            complete(mine);
            write(other, bytes("else"), 0);
            other.seal();
            assertFails(FailureKind.BUSY, other::publish);
            other.abandon(true);
        }
        assertOnly("mine");
    }

    /** Nobody would resume it, because the file is in place. */
    @Test
    void nothingIsKeptForResumingAFileThatTheOtherOneHasCompleted() throws IOException {
        try (TargetFile mine = wanted(older.prepare(LARGE));
                TargetFile other = wanted(younger.prepare(LARGE))) {
            write(mine, bytes("mine"), 0);
            complete(mine);
            write(other, bytes("else"), 0);
            other.record(List.of(new ChunkRecord(0, CHUNK_BYTES, new byte[16])));
            other.abandon(true);
        }
        assertThat(namesIn(temporary.resolve("out"))).containsExactly("f");
    }

    /** With the younger one of three gone, nobody can tell who has put the file in place; the older one completes. */
    @Test
    void aSessionBetweenOthersReplacesTheSameFile() throws IOException {
        try (TargetTree youngest = open(root, "out", false);
                TargetFile first = wanted(older.prepare(fileEntry("g", 1)));
                TargetFile mine = wanted(younger.prepare(SMALL));
                TargetFile other = wanted(youngest.prepare(SMALL))) {
            write(other, bytes("else"), 0);
            complete(other);
            write(mine, bytes("mine"), 0);
            complete(mine);
            first.abandon(false);
        }
        assertOnly("mine");
    }

    @Test
    void otherProgramsFilesAreNotReplaced() throws IOException {
        try (TargetFile mine = wanted(older.prepare(SMALL))) {
            write(mine, bytes("mine"), 0);
            mine.seal();
            file("out/f", "else");
            assertFails(FailureKind.TARGET, mine::publish);
            mine.abandon(true);
        }
        assertOnly("else");
    }

    @Test
    void theEndOfASessionEndsItsWaits() throws Exception {
        try (TargetFile other = wanted(younger.prepare(SMALL));
                TargetFile mine = wanted(older.prepare(SMALL))) {
            write(other, bytes("else"), 0);
            var write = waitingWrite(mine);
            older.stopWaiting();
            assertThatThrownBy(write::result).hasMessage("interrupted");
            complete(other);
        }
        assertOnly("else");
    }
}
