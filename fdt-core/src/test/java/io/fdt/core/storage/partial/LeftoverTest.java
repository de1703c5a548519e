package io.fdt.core.storage.partial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.Cleaning;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.StorageTest;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Paths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A leftover is removed only if it is one, nobody uses it, and it is old enough. */
final class LeftoverTest extends StorageTest {
    private static final PartialNames NAMES = PartialNames.of(raw("f"));
    private static final Cleaning NOW = new Cleaning(0, false);

    private Path directory = Path.of("unset");

    @BeforeEach
    void makeDirectory() throws IOException {
        directory = directory("top/below");
    }

    private Path place(RawPath name) {
        return directory.resolve(name.text());
    }

    private void holding(Path path, int flags, IntConsumer use) {
        int fd = Paths.openat(Paths.AT_FDCWD, raw(path), flags, 0);
        assertThat(fd).isPositive();
        use.accept(fd);
        Descriptor.closeFd(fd);
    }

    private Path writeJournal() {
        Journal.Identity identity = new Journal.Identity(fileEntry("f", 1), DigestKind.XXH3_128, NAMES.nameHash(), 1);
        holding(
                directory,
                Paths.O_RDONLY | Paths.O_DIRECTORY,
                fd -> Journal.create(Disk.KERNEL, fd, NAMES.journal(), raw("f"), identity)
                        .close());
        return place(NAMES.journal());
    }

    private void remove(String path, Cleaning cleaning) {
        try (Root root = Root.confined(raw(temporary))) {
            Leftover.remove(root, raw("top"), raw(path), cleaning);
        }
    }

    private void remove(RawPath name) {
        remove("below/" + name.text(), NOW);
    }

    private void assertStays(RawPath name, Cleaning cleaning, FailureKind kind, String why) {
        assertThatExceptionOfType(TransferException.class)
                .isThrownBy(() -> remove("below/" + name.text(), cleaning))
                .satisfies(failure -> {
                    assertThat(failure.kind()).isEqualTo(kind);
                    assertThat(failure.failure().text()).contains(why);
                    assertThat(failure.failure().path()).isEqualTo("below/" + name.text());
                });
        assertThat(Files.exists(place(name), LinkOption.NOFOLLOW_LINKS)).isTrue();
    }

    @Test
    void eachKindOfLeftoverIsRemovedAlone() throws IOException {
        Path partial = Files.writeString(place(NAMES.partial()), "half");
        Path journal = writeJournal();
        Path next = Files.createFile(place(NAMES.next()));
        Path link = Files.createSymbolicLink(place(NAMES.link()), Path.of("anywhere"));
        remove(NAMES.link());
        assertThat(Files.isSymbolicLink(link)).isFalse();
        assertThat(partial).exists();
        remove(NAMES.next());
        assertThat(next).doesNotExist();
        remove(NAMES.journal());
        assertThat(journal).doesNotExist();
        assertThat(partial).hasContent("half");
        remove(NAMES.partial());
        assertThat(directory).isEmptyDirectory();
    }

    /** Its file was published, and the run was killed before it removed the journal. */
    @Test
    void aJournalWithoutAPartialIsRemoved() {
        writeJournal();
        remove(NAMES.journal());
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aFileMovedAsideForADirectoryIsRemoved() throws IOException {
        Files.writeString(place(NAMES.link()), "replaced");
        remove(NAMES.link());
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void whatOthersWroteStays() throws IOException {
        Files.writeString(place(NAMES.journal()), "x".repeat(1000));
        Files.writeString(place(NAMES.next()), "short");
        Files.createSymbolicLink(place(NAMES.partial()), place(NAMES.next()));
        Files.createDirectory(place(NAMES.link()));
        for (RawPath name : new RawPath[] {NAMES.journal(), NAMES.next(), NAMES.partial(), NAMES.link()}) {
            assertStays(name, NOW, FailureKind.BUSY, "was not written by fdt");
        }
        assertThat(place(NAMES.next())).hasContent("short");
    }

    /** Nobody can tell it from a file of somebody else. */
    @ParameterizedTest
    @ValueSource(ints = {0, 11, Journal.HEADER_BYTES - 1})
    void aDamagedJournalIsNotTakenForOne(int at) throws IOException {
        byte[] damaged = Files.readAllBytes(writeJournal());
        damaged[at] ^= 1;
        Files.write(place(NAMES.journal()), damaged);
        assertStays(NAMES.journal(), NOW, FailureKind.BUSY, "was not written by fdt");
    }

    @Test
    void aYoungFileStaysAndADryRunRemovesNothing() throws IOException {
        Path partial = Files.writeString(place(NAMES.partial()), "half");
        assertStays(NAMES.partial(), new Cleaning(3600, false), FailureKind.BUSY, "is younger than --older");
        remove("below/" + NAMES.partial().text(), new Cleaning(0, true));
        assertThat(partial).exists();
    }

    /** The journal may be older than what the copy writes. */
    @Test
    void aJournalStaysWithAPartialInUse() throws IOException {
        Path partial = Files.writeString(place(NAMES.partial()), "half");
        writeJournal();
        holding(partial, Paths.O_RDWR, held -> {
            assertThat(Descriptor.lockRange(held, 1, 2)).isZero();
            for (RawPath name : new RawPath[] {NAMES.journal(), NAMES.partial()}) {
                assertStays(name, NOW, FailureKind.BUSY, "another copy is writing this target");
            }
        });
        remove(NAMES.partial());
        assertThat(partial).doesNotExist();
    }

    /** Nobody can lock a symbolic link. */
    @Test
    void aLinkStaysWhileASessionIsInItsDirectory() throws IOException {
        Path link = Files.createSymbolicLink(place(NAMES.link()), Path.of("anywhere"));
        Files.writeString(place(NAMES.partial()), "half");
        holding(directory, Paths.O_RDONLY | Paths.O_DIRECTORY, held -> {
            assertThat(Descriptor.lockRangeShared(held, 0, 1)).isZero();
            assertStays(NAMES.link(), NOW, FailureKind.BUSY, "a copy is writing in its directory");
            remove(NAMES.partial());
        });
        remove(NAMES.link());
        assertThat(Files.isSymbolicLink(link)).isFalse();
    }

    @Test
    void aYoungJournalOrLinkWithoutAPartialStays() throws IOException {
        writeJournal();
        Files.createSymbolicLink(place(NAMES.link()), Path.of("anywhere"));
        for (RawPath name : new RawPath[] {NAMES.journal(), NAMES.link()}) {
            assertStays(name, new Cleaning(3600, false), FailureKind.BUSY, "is younger than --older");
        }
    }

    /** Whoever made it could have a lock of another file waited for. */
    @Test
    void aLinkInPlaceOfThePartialIsNotFollowed() throws IOException {
        writeJournal();
        Files.createSymbolicLink(place(NAMES.partial()), file("outside", "x"));
        assertStays(NAMES.journal(), NOW, FailureKind.TARGET, "open the partial file: Too many levels of symbolic");
    }

    @Test
    void nothingIsRemovedThroughALinkOrOutsideADirectory() throws IOException {
        Path partial = Files.writeString(place(NAMES.partial()), "half");
        Files.createSymbolicLink(temporary.resolve("top/link"), directory);
        for (String path : new String[] {"link", "none", "../top/below"}) {
            assertThatExceptionOfType(TransferException.class)
                    .isThrownBy(() -> remove(path + "/" + NAMES.partial().text(), NOW))
                    .satisfies(failure -> assertThat(failure.failure().text())
                            .containsAnyOf("open its directory", "leads out of the root"));
        }
        assertThat(partial).exists();
        Path above =
                Files.writeString(temporary.resolve("top/" + NAMES.partial().text()), "half");
        remove(NAMES.partial().text(), NOW);
        assertThat(above).doesNotExist();
    }

    @Test
    void whatIsGoneCannotBeRemoved() {
        assertThatExceptionOfType(TransferException.class)
                .isThrownBy(() -> remove(NAMES.partial()))
                .satisfies(failure -> assertThat(failure.kind()).isEqualTo(FailureKind.TARGET));
    }
}
