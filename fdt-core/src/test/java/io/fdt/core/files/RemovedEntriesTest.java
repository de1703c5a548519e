package io.fdt.core.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.budget.Budgets;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.storage.Located;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Removing below an exported directory, without a network. */
final class RemovedEntriesTest {
    private static final String PARTIAL = ".fdt.0123456789abcdef.part";

    @TempDir
    Path root;

    private RemovedEntries removing(String path) {
        return removing(path, true);
    }

    private RemovedEntries removing(String path, boolean deep) {
        ExportedRoots roots = new ExportedRoots(List.of(RawPath.of(root)), false);
        Located.Finder finder = each -> roots.find(each).locate();
        return new RemovedEntries(List.of(RawPath.ofText(path)), finder, deep, Budgets.ofProcess());
    }

    private static List<CheckedEntry> all(RemovedEntries entries) throws InterruptedException {
        List<CheckedEntry> all = new ArrayList<>();
        for (CheckedEntry next = entries.next(); next != null; next = entries.next()) {
            all.add(next);
        }
        return all;
    }

    @Test
    void anInterruptionEndsTheRemovalBeforeTheNextEntry() throws Exception {
        Files.createDirectories(root.resolve("d/e"));
        Files.writeString(root.resolve("d/e/f"), "content");
        try (RemovedEntries entries = removing("/d")) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(entries::next).isInstanceOf(InterruptedException.class);
        }
        assertThat(root.resolve("d/e/f")).exists();

        try (RemovedEntries entries = removing("/d")) {
            assertThat(all(entries))
                    .singleElement()
                    .satisfies(entry -> assertThat(entry.failure()).isNull());
        }
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void withoutItsContentsOnlyAnEmptyDirectoryIsRemoved() throws Exception {
        Files.createDirectories(root.resolve("d/e"));
        try (RemovedEntries entries = removing("/d", false)) {
            assertThat(all(entries)).singleElement().satisfies(entry -> {
                assertThat(entry.failure().kind()).isEqualTo(FailureKind.TARGET);
                assertThat(entry.failure().textWithRemedy())
                        .contains(": Directory not empty; ")
                        .contains("-r");
            });
        }
        assertThat(root.resolve("d/e")).isEmptyDirectory();

        try (RemovedEntries entries = removing("/d/e", false)) {
            assertThat(all(entries))
                    .singleElement()
                    .satisfies(entry -> assertThat(entry.failure()).isNull());
        }
        assertThat(root.resolve("d")).isEmptyDirectory();
    }

    @Test
    void whatACopyIsWritingStaysWithTheDirectoriesAboveIt() throws Exception {
        Path partial = Files.createDirectories(root.resolve("d/e")).resolve(PARTIAL);
        Files.writeString(partial, "half");
        Files.writeString(root.resolve("d/other"), "content");
        try (FileChannel writing = FileChannel.open(partial, StandardOpenOption.WRITE);
                RemovedEntries entries = removing("/d")) {
            lock(writing);
            List<CheckedEntry> answers = all(entries);
            assertThat(answers)
                    .extracting(answer -> answer.failure().kind())
                    .containsExactly(FailureKind.BUSY, FailureKind.TARGET);
            assertThat(answers.get(0).path().text()).isEqualTo("/d/e/" + PARTIAL);
        }
        assertThat(partial).exists();
        assertThat(root.resolve("d/other")).doesNotExist();
    }

    private static void lock(FileChannel file) throws IOException {
        assertThat(file.tryLock()).isNotNull();
    }
}
