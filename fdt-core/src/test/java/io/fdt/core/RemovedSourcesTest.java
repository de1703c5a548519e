package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.FileHash;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A copy that removes its sources removes what it has copied, and nothing that has taken its place since. */
final class RemovedSourcesTest {
    private static final FileTime TIME = FileTime.fromMillis(1_500_000_000_000L);

    @TempDir
    Path directory;

    /** The file of the source is {@code home/docs/f}. That of the victim looks the same, and must stay. */
    @BeforeEach
    void makeFiles() throws IOException {
        make("home/docs/f", "source");
        make("victim/f", "victim");
        make("victim/docs/f", "victim");
    }

    private void make(String name, String content) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.setLastModifiedTime(Files.writeString(file, content), TIME);
    }

    private enum Swap {
        NOTHING,
        FILE_BY_LINK,
        FILE_BY_FILE,
        PARENT_BY_LINK,
        PARENT_BY_DIRECTORY,
        UPPER_BY_LINK,
        UPPER_BY_DIRECTORY
    }

    private void swap(Swap swap) throws IOException {
        Path file = directory.resolve("home/docs/f");
        Path parent = directory.resolve("home/docs");
        Path upper = directory.resolve("home");
        Path away = directory.resolve("away");
        Path victim = directory.resolve("victim");
        switch (swap) {
            case NOTHING -> {}
            case FILE_BY_LINK -> {
                Files.move(file, away);
                Files.createSymbolicLink(file, victim.resolve("f"));
            }
            case FILE_BY_FILE -> {
                Files.move(file, away);
                Files.move(victim.resolve("f"), file);
            }
            case PARENT_BY_LINK -> {
                Files.move(parent, away);
                Files.createSymbolicLink(parent, victim);
            }
            case PARENT_BY_DIRECTORY -> {
                Files.move(parent, away);
                Files.move(victim, parent);
            }
            case UPPER_BY_LINK -> {
                Files.move(upper, away);
                Files.createSymbolicLink(upper, victim);
            }
            case UPPER_BY_DIRECTORY -> {
                Files.move(upper, away);
                Files.move(victim, upper);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "home, NOTHING",
        "home/, NOTHING",
        "home/docs/, NOTHING",
        "home/docs/f, NOTHING",
        "home, FILE_BY_LINK",
        "home/docs/, FILE_BY_LINK",
        "home/docs/f, FILE_BY_LINK",
        "home, FILE_BY_FILE",
        "home/docs/f, FILE_BY_FILE",
        "home, PARENT_BY_LINK",
        "home/docs, PARENT_BY_LINK",
        "home/docs/, PARENT_BY_LINK",
        "home/docs/f, PARENT_BY_LINK",
        "home, PARENT_BY_DIRECTORY",
        "home/docs, PARENT_BY_DIRECTORY",
        "home/docs/, PARENT_BY_DIRECTORY",
        "home, UPPER_BY_LINK",
        "home/, UPPER_BY_LINK",
        "home/docs, UPPER_BY_LINK",
        "home/docs/, UPPER_BY_LINK",
        "home/docs/f, UPPER_BY_LINK",
        "home/docs/, UPPER_BY_DIRECTORY"
    })
    void onlyWhatWasCopiedIsRemoved(String source, Swap swap) throws Exception {
        AtomicInteger swaps = new AtomicInteger();
        TransferObserver observer = new TransferObserver() {
            @Override
            public void onFileInPlace(String path, FileOutcome outcome, long sizeBytes, Map<FileHash, String> sums) {
                // The copy is in place, and nothing has been removed yet.
                try {
                    swap(swap);
                    swaps.incrementAndGet();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
        TransferPlan plan = TransferPlan.of(
                        Direction.PUSH,
                        List.of(RawPath.ofText(directory + "/" + source)),
                        RawPath.ofText(directory + "/copy/"))
                .with(CopyValue.REMOVE_SOURCE, true);
        Summary summary;
        try (TransferJob copy = Fdt.at(directory.resolve("fdt")).copy(plan, observer)) {
            summary = copy.await();
        }

        assertThat(swaps).as("%s", summary).hasValue(1);
        assertThat(contents("victim")).as("%s", summary).isEqualTo(2);
        // The copy, and the source, which is removed only where it still is.
        assertThat(contents("source")).as("%s", summary).isBetween(1L, swap == Swap.NOTHING ? 1L : 2L);
    }

    /** Counts the files with this content, without following links. */
    private long contents(String content) throws IOException {
        try (var files = Files.walk(directory)) {
            long count = 0;
            for (Path file : files.filter(Files::isRegularFile)
                    .filter(each -> !Files.isSymbolicLink(each))
                    .toList()) {
                count += Files.readAllBytes(file).length == content.length()
                                && Files.readString(file).equals(content)
                        ? 1
                        : 0;
            }
            return count;
        }
    }
}
