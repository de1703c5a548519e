package io.fdt.core.storage.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.StorageTest;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.posix.FileMetadata;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Another user may write to the target's directory. What that user puts beside a target is neither trusted nor written
 * to.
 */
final class LocalUserTest extends StorageTest {
    private static final int NOBODY = 65_534;
    private static final FileEntry ENTRY = fileEntry("f", 2L * CHUNK_BYTES);
    private static final byte[] CHUNK = new byte[CHUNK_BYTES];

    private Path journal = Path.of("unset");
    private Path partial = Path.of("unset");

    @BeforeEach
    void leaveAPartial() throws IOException {
        Path out = directory("out");
        journal = out.resolve(PartialNames.of(raw("f")).journal().text());
        partial = out.resolve(PartialNames.of(raw("f")).partial().text());
        session(tree -> {
            try (TargetFile file = wanted(tree.prepare(ENTRY))) {
                write(file, CHUNK, 0);
                file.sync();
                file.record(List.of(firstChunk()));
            }
        });
    }

    private void session(Consumer<TargetTree> session) {
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules(Existing.SKIP_SAME))) {
            session.accept(tree);
        }
    }

    private static ChunkRecord firstChunk() {
        Memory memory = Memory.of(CHUNK);
        TreeDigest digest = new TreeDigest(DigestKind.XXH3_128);
        digest.addLeaf(memory.buffer(), memory.address(), 0, LEAF_BYTES);
        digest.addLeaf(memory.buffer(), memory.address(), LEAF_BYTES, LEAF_BYTES);
        return new ChunkRecord(0, CHUNK_BYTES, digest.finish());
    }

    private static void setMode(Path file, String mode) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    private void assertResumes(FileEntry entry, int chunks) {
        session(tree -> {
            Outcome.Wanted wanted = (Outcome.Wanted) tree.prepare(entry);
            assertThat(wanted.durable()).hasSize(chunks);
            wanted.file().close();
        });
    }

    private void assertDelivers() throws IOException {
        byte[] content = new byte[2 * CHUNK_BYTES];
        session(tree -> deliver(tree, ENTRY, content));
        assertThat(temporary.resolve("out/f")).hasBinaryContent(content);
        assertThat(namesIn(temporary.resolve("out"))).containsExactly("f");
    }

    @Test
    void resumesWhatItLeftItself() {
        assertResumes(ENTRY, 1);
    }

    private enum Planted {
        WRITABLE_BY_ALL,
        WRITABLE_BY_ITS_GROUP,
        OF_ANOTHER_USER,
        LINKED_TWICE,
        LINK,
        PIPE
    }

    @ParameterizedTest
    @EnumSource
    void trustsNoJournalThatAnotherUserMayHaveWritten(Planted planted) throws Exception {
        plant(planted, journal);
        assertResumes(ENTRY, 0);
        assertDelivers();
    }

    @ParameterizedTest
    @EnumSource
    void resumesNoPartialThatAnotherUserMayWrite(Planted planted) throws Exception {
        plant(planted, partial);
        assertResumes(ENTRY, 0);
        assertDelivers();
    }

    private void plant(Planted planted, Path file) throws Exception {
        Path elsewhere = temporary.resolve("elsewhere");
        switch (planted) {
            case WRITABLE_BY_ALL -> setMode(file, "rw-rw-rw-");
            case WRITABLE_BY_ITS_GROUP -> setMode(file, "rw--w----");
            case OF_ANOTHER_USER -> {
                assumeTrue(FileMetadata.isRoot(), "only root can give files away");
                Files.setAttribute(file, "unix:uid", NOBODY, LinkOption.NOFOLLOW_LINKS);
            }
            case LINKED_TWICE -> Files.createLink(elsewhere, file);
            case LINK -> {
                Files.move(file, elsewhere);
                Files.createSymbolicLink(file, elsewhere);
            }
            case PIPE -> {
                Files.delete(file);
                assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                        .isZero();
            }
        }
    }

    @Test
    void keepsAPartialToItselfUntilItIsComplete() throws IOException {
        assertThat(statusOf(partial).mode()).isEqualTo(0600);
        Files.delete(journal);
        session(tree -> {
            try (TargetFile small = wanted(tree.prepare(fileEntry("small", 5)));
                    TargetFile range = wanted(tree.prepare(fileEntry("ranged", FileRange.MIN_BYTES + CHUNK_BYTES)
                            .ranged(new FileRange(0, FileRange.MIN_BYTES + CHUNK_BYTES, FileRange.MIN_BYTES).at(0))))) {
                write(small, bytes("hello"), 0);
                write(range, CHUNK, 0);
                assertPartialsArePrivate();
                small.seal();
                small.sync();
                small.publish();
            }
        });
        assertThat(statusOf(temporary.resolve("out/small")).mode()).isEqualTo(0644);
    }

    private void assertPartialsArePrivate() {
        try (var listed = Files.list(temporary.resolve("out"))) {
            List<Path> partials =
                    listed.filter(path -> path.toString().endsWith(".part")).toList();
            assertThat(partials)
                    .hasSize(3)
                    .allSatisfy(path -> assertThat(statusOf(path).mode()).isEqualTo(0600));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** A user who opened the partial while it was readable could read later data too. */
    @ParameterizedTest
    @ValueSource(ints = {2, 5 * CHUNK_BYTES})
    void writesASecretIntoNoFileThatOthersCouldOpen(int sizeBytes) throws IOException {
        setMode(partial, "rw-r--r--");
        FileEntry secret = fileEntry(raw("f"), sizeBytes, 0600);
        try (InputStream opened = Files.newInputStream(partial)) {
            session(tree -> {
                TargetFile file = wanted(tree.prepare(secret));
                write(file, bytes("s3"), 0);
                assertThat(partial).content().startsWith("s3");
                assertThat(statusOf(partial).mode()).isEqualTo(0600);
                file.abandon(false);
            });
            assertThat(opened.readNBytes(2)).isEqualTo(new byte[2]);
        }
    }

    @Test
    void resumesNoSecretIntoAFileThatOthersCouldOpen() throws IOException {
        setMode(partial, "rw-r--r--");
        assertResumes(fileEntry(raw("f"), ENTRY.sizeBytes(), 0600), 0);
    }

    /** A run that ends between setting the mode and the rename leaves a partial with its final mode. */
    @ParameterizedTest
    @ValueSource(ints = {0644, 0664})
    void resumesWhatMayBeReadAsMuchInTheEnd(int mode) {
        FileEntry entry = fileEntry(raw("f"), ENTRY.sizeBytes(), mode);
        session(tree -> {
            TargetFile file = wanted(tree.prepare(entry));
            write(file, CHUNK, CHUNK_BYTES);
            file.seal();
            assertThat(statusOf(partial).mode()).isEqualTo(mode);
            file.close();
        });
        assertResumes(entry, 1);
        assertThat(statusOf(partial).mode()).isEqualTo(0600);
        assertResumes(entry, 1);
    }
}
