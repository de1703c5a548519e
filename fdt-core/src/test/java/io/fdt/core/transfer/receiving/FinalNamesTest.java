package io.fdt.core.transfer.receiving;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.budget.Budgets;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.TargetFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class FinalNamesTest {
    private static final int DIRECTORIES = 4;
    private static final int FILES = 100;

    private final Map<String, List<String>> published = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> inside = new ConcurrentHashMap<>();
    private final AtomicInteger together = new AtomicInteger();
    private CountDownLatch others = new CountDownLatch(0);

    private ReceiverFile file(String path, boolean fails) {
        RawPath raw = RawPath.ofText(path);
        FileEntry entry = Entries.file(raw, 10, EntryMetadata.ofMode(0644));
        TargetFile target = new TargetFile() {
            @Override
            public void write(long address, int lengthBytes, long offset) {}

            @Override
            public void zero(long offset, long lengthBytes) {}

            @Override
            public void sync() {}

            @Override
            public boolean record(List<ChunkRecord> chunks) {
                return true;
            }

            @Override
            public void seal() {}

            @Override
            public void publish() {
                String directory = raw.parent().text();
                AtomicInteger threads = inside.computeIfAbsent(directory, any -> new AtomicInteger());
                together.accumulateAndGet(threads.incrementAndGet(), Math::max);
                try {
                    others.countDown();
                    others.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                if (fails) {
                    threads.decrementAndGet();
                    throw Cause.TARGET.failure("no name");
                }
                published
                        .computeIfAbsent(directory, any -> new CopyOnWriteArrayList<>())
                        .add(raw.name().text());
                threads.decrementAndGet();
            }

            @Override
            public boolean abandon(boolean keepForResume) {
                return keepForResume;
            }
        };
        return new ReceiverFile(
                0, entry, target, DigestKind.XXH3_128, List.of(), new AtomicInteger(), new AtomicLong());
    }

    private List<ReceiverFile> files() {
        List<ReceiverFile> files = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            for (int directory = 0; directory < DIRECTORIES; directory++) {
                files.add(file("d" + directory + "/f" + i, i == 7));
            }
        }
        return files;
    }

    private void assertPublished(int threads) {
        List<String> failed = new CopyOnWriteArrayList<>();
        List<ReceiverFile> named = new FinalNames(threads, Budgets.ofProcess())
                .publish(files(), (file, why) -> failed.add(file.entry.path().text() + ": " + why.getMessage()));
        assertThat(named).hasSize(DIRECTORIES * (FILES - 1));
        assertThat(failed).hasSize(DIRECTORIES).contains("d1/f7: no name");
        assertThat(together).as("threads in one directory").hasValue(1);
        List<String> inOrder = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            if (i != 7) {
                inOrder.add("f" + i);
            }
        }
        assertThat(published).hasSize(DIRECTORIES);
        published.values().forEach(each -> assertThat(each).containsExactlyElementsOf(inOrder));
    }

    /** Each waits until files of two directories are being published. */
    @Test
    void publishesDirectoriesAtTheSameTimeAndEachInOrder() {
        others = new CountDownLatch(2);
        assertPublished(4);
    }

    @Test
    void publishesInOneThreadOnFewCores() {
        assertPublished(1);
    }
}
