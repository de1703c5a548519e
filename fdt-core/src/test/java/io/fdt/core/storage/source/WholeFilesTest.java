package io.fdt.core.storage.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.Value;
import io.fdt.core.storage.Resolver;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.StorageTest;
import io.fdt.core.storage.WalkingResolver;
import io.fdt.core.storage.posix.FileStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reading the listed files, up to the first file that differs from its listing. */
class WholeFilesTest extends StorageTest {
    private static final int PLACE_BYTES = 64;

    private final WholeFiles files = new WholeFiles();
    private final Memory memory = Memory.of(16 * PLACE_BYTES);

    @BeforeEach
    void makeTree() throws IOException {
        file("a/one", "first");
        file("a/dir/two", "second, and longer");
        file("a/three", "3");
        files.clear();
    }

    private FileEntry listed(String path) {
        FileStatus now = statusOf(temporary.resolve(path));
        return Entries.file(raw(path), now.sizeBytes, Entries.metadata(0644, now.modifiedSeconds, now.modifiedNanos));
    }

    private void add(FileEntry... entries) {
        for (FileEntry entry : entries) {
            assertThat(files.add(entry, memory.address() + (long) files.count() * PLACE_BYTES))
                    .isTrue();
        }
    }

    private int read() {
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = sourceTree(root, "a")) {
            return tree.read(files);
        }
    }

    private String at(int index) {
        byte[] copy = new byte[(int) files.entry(index).sizeBytes()];
        memory.buffer().get(index * PLACE_BYTES, copy);
        return new String(copy, StandardCharsets.UTF_8);
    }

    @Test
    void readsEachFileIntoItsPlace() {
        add(listed("a/one"), listed("a/dir/two"), listed("a/three"));
        assertThat(read()).isEqualTo(3);
        assertThat(List.of(at(0), at(1), at(2))).containsExactly("first", "second, and longer", "3");
        assertThat(files.into(1)).isEqualTo(memory.address() + PLACE_BYTES);
    }

    @Test
    void stopsAtAFileThatIsGone() throws IOException {
        add(listed("a/one"), listed("a/dir/two"), listed("a/three"));
        Files.delete(temporary.resolve("a/dir/two"));
        assertThat(read()).isEqualTo(1);
        assertThat(at(0)).isEqualTo("first");
    }

    @Test
    void stopsAtAFileOfAnotherSize() throws IOException {
        add(listed("a/one"));
        FileStatus before = statusOf(temporary.resolve("a/one"));
        Files.writeString(temporary.resolve("a/one"), "longer than it was");
        setModified(temporary.resolve("a/one"), before.modifiedSeconds, before.modifiedNanos);
        assertThat(read()).isZero();
    }

    @Test
    void stopsAtAFileOfAnotherTime() {
        add(listed("a/one"));
        FileStatus before = statusOf(temporary.resolve("a/one"));
        setModified(temporary.resolve("a/one"), before.modifiedSeconds, before.modifiedNanos ^ 1);
        assertThat(read()).isZero();
    }

    @Test
    void followsNoLinkToAFile() throws IOException {
        FileEntry entry = listed("a/one");
        Files.move(temporary.resolve("a/one"), temporary.resolve("a/moved"));
        Files.createSymbolicLink(temporary.resolve("a/one"), Path.of("moved"));
        add(entry);
        assertThat(read()).isZero();
    }

    @Test
    void followsNoLinkToADirectory() throws IOException {
        FileEntry entry = listed("a/dir/two");
        Files.move(temporary.resolve("a/dir"), temporary.resolve("a/moved"));
        Files.createSymbolicLink(temporary.resolve("a/dir"), Path.of("moved"));
        add(entry);
        assertThat(read()).isZero();
    }

    @Test
    void readsNothingOutsideTheBase() throws IOException {
        file("secret", "first");
        FileEntry listed = listed("secret");
        add(listed.at(raw("a/../../" + temporary.getFileName() + "/secret")));
        assertThat(read()).isZero();
    }

    @Test
    void opensNoPipeAndNoDirectory() throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("mkfifo", temporary.resolve("a/pipe").toString())
                        .start()
                        .waitFor())
                .isZero();
        for (String name : List.of("a/pipe", "a/dir")) {
            files.clear();
            add(listed(name));
            assertThat(read()).as(name).isZero();
        }
    }

    @Test
    void readsAFileWithALongPath() throws IOException {
        String name = "a/" + "n".repeat(255);
        file(name, "long");
        add(listed(name));
        assertThat(read()).isEqualTo(1);
        assertThat(at(0)).isEqualTo("long");
    }

    @Test
    void stopsAtAPathThatIsTooLong() {
        FileEntry entry = listed("a/one");
        add(entry, entry.at(raw("a/" + "n".repeat(256))), entry.at(raw("a/" + "d/".repeat(4000))));
        assertThat(read()).isEqualTo(1);
    }

    @Test
    void takesNoMoreThanItHasRoomFor() {
        FileEntry entry = listed("a/one");
        int count = 0;
        while (files.add(entry, memory.address())) {
            count++;
        }
        assertThat(count).isEqualTo(128);
        assertThat(read()).isEqualTo(128);
        files.clear();
        FileEntry deep = entry.at(raw("a/" + "./".repeat(2000) + "one"));
        while (files.add(deep, memory.address())) {
            count++;
        }
        assertThat(count).as("paths of 4,005 bytes each").isEqualTo(128 + 4);
        assertThat(read()).isEqualTo(4);
    }

    @Test
    void acceptsSmallWholeFilesOnly() {
        assertThat(WholeFiles.suit(fileEntry("f", 1))).isTrue();
        assertThat(WholeFiles.suit(fileEntry("f", 32 << 10))).isTrue();
        assertThat(WholeFiles.suit(fileEntry("f", (32 << 10) + 1))).isFalse();
        assertThat(WholeFiles.suit(fileEntry("f", 0))).isFalse();
        assertThat(WholeFiles.suit(sparseEntry("f", 10))).isFalse();
        assertThat(WholeFiles.suit(directoryEntry("d", 0755))).isFalse();
        assertThat(WholeFiles.suit(linkEntry("l", "f"))).isFalse();
    }

    @Test
    void isForTheKernelsResolverAndForFilesThatStayAsTheyAre() {
        assertThat(readsWhole(TransferPlan.from(List.of(raw("a"))), Resolver.best()))
                .isTrue();
        assertThat(readsWhole(TransferPlan.from(List.of(raw("a"))), new WalkingResolver()))
                .isFalse();
        for (Value<Boolean> handling : List.of(CopyValue.GROWING, CopyValue.COPY_LINKS)) {
            assertThat(readsWhole(handled(handling), Resolver.best()))
                    .as("%s", handling)
                    .isFalse();
        }
    }

    private static TransferPlan handled(Value<Boolean> handling) {
        return TransferPlan.from(List.of(raw("a"))).with(handling, true);
    }

    private boolean readsWhole(TransferPlan selection, Resolver resolver) {
        try (Root root = Root.confined(raw(temporary), resolver);
                SourceTree tree = new SourceTree(root, selection, PRESERVED, problems)) {
            return tree.readsWholeFiles();
        }
    }
}
