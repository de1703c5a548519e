package io.fdt.core.transfer.receiving;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.Clock;
import io.fdt.core.budget.Budgets;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.target.DiscardTarget;
import io.fdt.core.transfer.receiving.Flusher.Written;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.InBackground;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FlusherTest {
    private static ReceiverFile file() {
        FileEntry entry = Entries.file("x", 10, EntryMetadata.ofMode(0644));
        Outcome outcome = new DiscardTarget().prepareChanged(entry);
        return new ReceiverFile(
                0,
                entry,
                ((Outcome.Wanted) outcome).file(),
                DigestKind.XXH3_128,
                List.of(),
                new AtomicInteger(),
                new AtomicLong());
    }

    /** Otherwise chunks would wait forever for their acknowledgement. */
    @Test
    void reportsExceptionThatEndsItsThread() throws Exception {
        CompletableFuture<TransferException> broken = new CompletableFuture<>();
        Flusher.Listener failing = new Flusher.Listener() {
            @Override
            public void onDurable(List<Written> chunks, List<ReceiverFile> published) {
                throw new IllegalStateException("a mistake");
            }

            @Override
            public void onFailed(ReceiverFile file, TransferException why) {
                throw new AssertionError(why);
            }

            @Override
            public void onBroken(TransferException why) {
                broken.complete(why);
            }
        };
        try (Flusher flusher = new Flusher("s", Budgets.ofProcess(), Durability.END, () -> {}, failing, Clock.SYSTEM)) {
            flusher.add(new Written(file(), 0, 10, new byte[16], false));
            TransferException why = broken.get(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
            assertThat(why.kind()).isEqualTo(FailureKind.INTERNAL);
            assertThat(why).hasMessageContaining("a mistake");
        }
    }

    /** A sender makes holes faster than a slow disk flushes them. */
    @Test
    void laneWaitsForSlowDisk() throws Exception {
        CountDownLatch disk = new CountDownLatch(1);
        AtomicInteger durable = new AtomicInteger();
        int all = 40_000;
        AtomicInteger added = new AtomicInteger();
        Flusher flusher = new Flusher(
                "s", Budgets.ofProcess(), Durability.END, () -> {}, counting(durable, () -> await(disk)), Clock.SYSTEM);
        ReceiverFile file = file();
        var lane = InBackground.run(() -> {
            for (int i = 0; i < all; i++) {
                flusher.add(new Written(file, i, 1, new byte[16], false));
                added.incrementAndGet();
            }
        });
        Await.until(
                "the lane waits", () -> lane.thread().getState() == Thread.State.TIMED_WAITING && added.get() > 30_000);
        assertThat(added.get()).isLessThan(all);
        disk.countDown();
        lane.result();
        assertThat(flusher.drain(Await.LIMIT_MS)).isTrue();
        assertThat(durable).hasValue(all);
        // After the end of the flusher, callers do not wait.
        flusher.add(new Written(file, 0, 1, new byte[16], false));
    }

    /**
     * A session's last message waits for the flusher, on a long path and on a short one. Method: each idle wait takes
     * ten seconds, so without the wake-ups all of this takes minutes.
     */
    @Test
    void wakesUpAtOnceAfterIdleTime() {
        AtomicInteger durable = new AtomicInteger();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        Flusher flusher = new Flusher(
                "idle", Budgets.ofProcess(), Durability.END, () -> {}, counting(durable, () -> {}), Clock.SYSTEM);
        for (int round = 1; round <= 8; round++) {
            int all = round;
            awaitWaiting("idle");
            flusher.add(new Written(file(), 0, 10, new byte[16], false));
            Await.until("it is durable", until(deadline), () -> durable.get() == all);
            awaitWaiting("idle");
            ReceiverFile dropped = file();
            flusher.drop(dropped, false);
            Await.until("it is dropped", until(deadline), () -> dropped.ended);
        }
        awaitWaiting("idle");
        assertThat(flusher.drain(until(deadline).toMillis())).isTrue();
    }

    private static Duration until(long deadline) {
        return Duration.ofNanos(deadline - System.nanoTime());
    }

    /** A listener that records the calls in order; one step of one file may fail. */
    private static class Calls implements Flusher.Listener {
        final List<String> all = new CopyOnWriteArrayList<>();
        final CountDownLatch othersAreThere = new CountDownLatch(1);
        private final @Nullable String failing;
        boolean recordsAtOnce = true;

        Calls(@Nullable String failing) {
            this.failing = failing;
        }

        private void call(String step) {
            all.add(step);
            if (step.equals("flush first")) {
                await(othersAreThere);
            }
            if (step.equals(failing)) {
                throw Cause.TARGET.failure(step + " failed");
            }
        }

        /** Returns a file of ten bytes with this name. */
        ReceiverFile file(String name) {
            FileEntry entry = Entries.file(name, 10, EntryMetadata.ofMode(0644));
            TargetFile target = new TargetFile() {
                @Override
                public void write(long address, int lengthBytes, long offset) {
                    throw new AssertionError("a lane writes");
                }

                @Override
                public void zero(long offset, long lengthBytes) {
                    throw new AssertionError("a lane writes");
                }

                @Override
                public void sync() {
                    call("flush " + name);
                }

                @Override
                public boolean record(List<ChunkRecord> chunks) {
                    call("record " + name);
                    return true;
                }

                @Override
                public boolean recordsAtOnce() {
                    return recordsAtOnce;
                }

                @Override
                public void seal() {
                    throw new AssertionError("whoever completes a file seals it");
                }

                @Override
                public void publish() {
                    call("publish " + name);
                }

                @Override
                public void syncName() {
                    call("name " + name);
                }

                @Override
                public boolean abandon(boolean keepForResume) {
                    all.add(keepForResume ? "keep " + name : "remove " + name);
                    return keepForResume;
                }
            };
            return new ReceiverFile(
                    0, entry, target, DigestKind.XXH3_128, List.of(), new AtomicInteger(), new AtomicLong());
        }

        Flusher flusher(Durability durability) {
            return new Flusher("order", Budgets.ofProcess(), durability, () -> call("flush all"), this, Clock.SYSTEM);
        }

        @Override
        public void onDurable(List<Written> chunks, List<ReceiverFile> published) {
            chunks.forEach(
                    chunk -> all.add("durable " + chunk.file().entry.path().text()));
            published.forEach(file -> all.add("published " + file.entry.path().text()));
        }

        @Override
        public void onFailed(ReceiverFile file, TransferException why) {
            all.add("failed " + file.entry.path().text() + ": " + why.getMessage());
        }

        @Override
        public void onBroken(TransferException why) {
            throw new AssertionError(why);
        }

        /** Returns the calls for one file, without those of closing it again. */
        List<String> of(String name) {
            return all.stream()
                    .filter(call -> call.contains(" " + name) && !call.startsWith("keep "))
                    .toList();
        }
    }

    private static Written last(ReceiverFile file) {
        return new Written(file, 0, 10, new byte[16], true);
    }

    @Test
    void acknowledgesOnlyFlushedAndRecordedChunks() {
        Calls calls = new Calls(null);
        Flusher flusher = calls.flusher(Durability.END);
        flusher.add(last(calls.file("a")));
        assertThat(flusher.drain(Await.LIMIT_MS)).isTrue();
        assertThat(calls.of("a"))
                .containsExactly("flush a", "record a", "publish a", "name a", "durable a", "published a");
    }

    /** A large file has a journal, so its other chunks need not wait for its name. */
    @Test
    void acknowledgesOnlyTheLastChunkWithTheName() {
        Calls calls = new Calls(null);
        calls.othersAreThere.countDown();
        Flusher flusher = calls.flusher(Durability.END);
        ReceiverFile file = calls.file("a");
        flusher.add(new Written(file, 0, 5, new byte[16], false));
        flusher.add(new Written(file, 5, 5, new byte[16], true));
        assertThat(flusher.drain(Await.LIMIT_MS)).isTrue();
        assertThat(calls.of("a")).endsWith("publish a", "durable a", "name a", "durable a", "published a");
    }

    /** A small file that is complete needs no journal any more, so its chunks are durable with its name. */
    @Test
    void chunksOfACompleteFileWithoutAJournalWaitForItsName() {
        Calls calls = new Calls(null) {
            @Override
            public int filesUnderWay() {
                return 1;
            }
        };
        calls.recordsAtOnce = false;
        long untilTheLast = TimeUnit.DAYS.toNanos(1);
        try (Flusher flusher = new Flusher(
                "small", Budgets.ofProcess(), Durability.END, () -> {}, calls, Clock.SYSTEM, untilTheLast)) {
            ReceiverFile file = calls.file("a");
            flusher.add(new Written(file, 0, 5, new byte[16], false));
            flusher.add(new Written(file, 5, 5, new byte[16], true));
            Await.until("it is published", () -> calls.all.contains("published a"));
        }
        assertThat(calls.of("a"))
                .containsExactly("flush a", "publish a", "name a", "durable a", "durable a", "published a");
    }

    /** Files of one directory share the flush of their names. */
    @Test
    void flushesTheNamesOfADirectoryOnce() {
        Calls calls = new Calls(null);
        Flusher flusher = calls.flusher(Durability.END);
        flusher.add(last(calls.file("first")));
        Await.until("the first is being flushed", () -> calls.all.contains("flush first"));
        for (int i = 0; i < 100; i++) {
            flusher.add(last(calls.file("f" + i)));
        }
        calls.othersAreThere.countDown();
        assertThat(flusher.drain(Await.LIMIT_MS)).isTrue();
        assertThat(calls.all.stream().filter(call -> call.startsWith("name ") || call.startsWith("flush ")))
                .containsExactly("flush first", "flush all", "name f99");
        assertThat(calls.all.indexOf("durable first")).isGreaterThan(calls.all.indexOf("flush all"));
        assertThat(calls.all.indexOf("durable f1")).isGreaterThan(calls.all.indexOf("name f99"));
    }

    /** It is not known which of the names are lost, so none of these files is complete. */
    @Test
    void failedFlushOfNamesFailsTheirFiles() {
        Calls calls = new Calls("name b");
        Flusher flusher = calls.flusher(Durability.END);
        flusher.add(last(calls.file("first")));
        Await.until("the first is being flushed", () -> calls.all.contains("flush first"));
        flusher.add(last(calls.file("a")));
        flusher.add(last(calls.file("b")));
        calls.othersAreThere.countDown();
        assertThat(flusher.drain(Await.LIMIT_MS)).isTrue();
        assertThat(calls.of("a")).endsWith("publish a", "failed a: name b failed");
        assertThat(calls.of("b")).endsWith("failed b: name b failed");
    }

    /** Each wait would add to the time of a short copy. */
    @Test
    void waitsForNothingIfEveryFileIsComplete() {
        Calls calls = new Calls(null) {
            @Override
            public int filesUnderWay() {
                return 2
                        - (int) all.stream()
                                .filter(call -> call.startsWith("published "))
                                .count();
            }
        };
        long never = TimeUnit.DAYS.toNanos(1);
        try (Flusher flusher =
                new Flusher("short", Budgets.ofProcess(), Durability.END, () -> {}, calls, Clock.SYSTEM, never)) {
            flusher.add(last(calls.file("a")));
            flusher.add(last(calls.file("b")));
            Await.until("both are durable", () -> calls.filesUnderWay() == 0);
        }
        assertThat(calls.of("b")).endsWith("name b", "durable b", "published b");
    }

    /** Each wake-up costs two context switches, as much as a small file. It is the last of these that it waits for. */
    @Test
    void sleepsUntilEveryFileOfABatchIsComplete() {
        int files = 100;
        AtomicInteger looks = new AtomicInteger();
        Calls calls = new Calls(null) {
            @Override
            public int filesUnderWay() {
                looks.incrementAndGet();
                return files
                        - (int) all.stream()
                                .filter(call -> call.startsWith("published "))
                                .count();
            }
        };
        long never = TimeUnit.DAYS.toNanos(1);
        try (Flusher flusher =
                new Flusher("asleep", Budgets.ofProcess(), Durability.NONE, () -> {}, calls, Clock.SYSTEM, never)) {
            for (int i = 0; i < files; i++) {
                awaitWaiting("asleep");
                flusher.add(last(calls.file("f" + i)));
            }
            Await.until("all are published", () -> calls.of("f" + (files - 1)).contains("published f" + (files - 1)));
        }
        assertThat(looks.get()).isLessThan(10);
    }

    /** Otherwise lanes stand still until it has waited long enough for files that they cannot open. */
    @Test
    void doesNotWaitForFilesThatCouldNotBeOpened() {
        AtomicInteger room = new AtomicInteger(10);
        Calls calls = new Calls(null) {
            @Override
            public int filesUnderWay() {
                return 1000;
            }

            @Override
            public long roomForFiles() {
                return room.get();
            }
        };
        long never = TimeUnit.DAYS.toNanos(1);
        try (Flusher flusher =
                new Flusher("full", Budgets.ofProcess(), Durability.NONE, () -> {}, calls, Clock.SYSTEM, never)) {
            for (int i = 0; i < 5; i++) {
                assertThat(calls.of("f0")).isEmpty();
                room.decrementAndGet();
                flusher.add(last(calls.file("f" + i)));
            }
            Await.until("half of the room is flushed", () -> calls.of("f4").contains("published f4"));
        }
    }

    @Test
    void flushesNothingIfNotRequested() {
        Calls calls = new Calls(null);
        Flusher flusher = calls.flusher(Durability.NONE);
        flusher.add(last(calls.file("a")));
        assertThat(flusher.drain(Await.LIMIT_MS)).isTrue();
        assertThat(calls.of("a")).containsExactly("record a", "publish a", "durable a", "published a");
    }

    @ParameterizedTest
    @ValueSource(strings = {"flush", "record", "publish"})
    void failedStepStopsOnlyItsFile(String step) {
        List<String> steps = List.of("flush a", "record a", "publish a");
        Calls calls = new Calls(step + " a");
        Flusher flusher = calls.flusher(Durability.END);
        flusher.add(last(calls.file("a")));
        flusher.add(last(calls.file("b")));
        assertThat(flusher.drain(Await.LIMIT_MS)).isTrue();
        List<String> expected = new ArrayList<>(steps.subList(0, steps.indexOf(step + " a") + 1));
        expected.add("failed a: " + step + " a failed");
        assertThat(calls.of("a")).containsExactlyElementsOf(expected);
        assertThat(calls.of("b").stream().filter(call -> !call.startsWith("name ")))
                .containsExactly("flush b", "record b", "publish b", "durable b", "published b");
    }

    /** One flush covers all files; if it fails, none of them is recorded. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void manyFilesAreFlushedAtOnce(boolean fails) {
        Calls calls = new Calls(fails ? "flush all" : null);
        Flusher flusher = calls.flusher(Durability.END);
        flusher.add(last(calls.file("first")));
        Await.until("the first is being flushed", () -> calls.all.contains("flush first"));
        for (int i = 0; i < 100; i++) {
            flusher.add(last(calls.file("f" + i)));
        }
        calls.othersAreThere.countDown();
        assertThat(flusher.drain(Await.LIMIT_MS)).isTrue();
        assertThat(calls.all.stream().filter(call -> call.startsWith("flush "))).contains("flush first", "flush all");
        for (int i = 0; i < 100; i++) {
            String name = "f" + i;
            Stream<String> own = calls.all.stream()
                    .filter(call -> call.endsWith(" " + name) || call.startsWith("failed " + name + ":"))
                    .filter(call -> !call.startsWith("keep ") && !call.startsWith("name "));
            if (fails) {
                assertThat(own).containsExactly("failed " + name + ": flush all failed");
            } else {
                assertThat(own)
                        .containsExactly("record " + name, "publish " + name, "durable " + name, "published " + name);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void abandonedFileIsNotFlushed(boolean keep) {
        Calls calls = new Calls(null);
        Flusher flusher = calls.flusher(Durability.END);
        ReceiverFile file = calls.file("a");
        flusher.drop(file, keep);
        Await.until("it is given up", () -> !calls.all.isEmpty());
        flusher.add(last(file));
        assertThat(flusher.drain(Await.LIMIT_MS)).isTrue();
        assertThat(calls.all)
                .startsWith(keep ? "keep a" : "remove a")
                .doesNotContain("flush a", "record a", "publish a", "durable a", "published a");
    }

    /** Otherwise a lane that waits for a slow disk would count as stalled, or one that nobody waits for would not. */
    @Test
    void isBusyOnlyWhileItFlushes() {
        Calls calls = new Calls(null);
        Flusher flusher = calls.flusher(Durability.END);
        assertThat(flusher.isBusyFor(0)).isFalse();
        flusher.add(last(calls.file("first")));
        Await.until("the file is being flushed", () -> calls.all.contains("flush first"));
        assertThat(flusher.isBusyFor(0)).isTrue();
        assertThat(flusher.isBusyFor(Long.MAX_VALUE)).isFalse();
        calls.othersAreThere.countDown();
        assertThat(flusher.drain(Await.LIMIT_MS)).isTrue();
        assertThat(flusher.isBusyFor(0)).isFalse();
    }

    /** Their partials would stay open and locked until the process ends. */
    @Test
    void filesThatABrokenFlusherLeavesAreGivenUp() {
        Calls calls = new Calls(null) {
            @Override
            public void onDurable(List<Written> chunks, List<ReceiverFile> published) {
                throw new IllegalStateException("a mistake");
            }

            @Override
            public void onBroken(TransferException why) {
                all.add("broken");
            }
        };
        Flusher flusher = calls.flusher(Durability.END);
        flusher.add(last(calls.file("first")));
        Await.until("the first is being flushed", () -> calls.all.contains("flush first"));
        flusher.add(last(calls.file("complete")));
        flusher.drop(calls.file("dropped"), false);
        calls.othersAreThere.countDown();
        assertThat(flusher.drain(Await.LIMIT_MS)).isTrue();
        assertThat(calls.all)
                .contains("broken", "remove dropped", "keep complete")
                .doesNotContain("flush complete", "name first", "published first");
    }

    /** Of two lanes that write the last chunks of a file at once, one may be late with its own. */
    @Test
    void acknowledgesChunkOfPublishedFile() {
        Calls calls = new Calls(null);
        Flusher flusher = calls.flusher(Durability.END);
        ReceiverFile file = calls.file("a");
        flusher.add(last(file));
        Await.until("it has its name", () -> calls.all.contains("published a"));
        flusher.add(new Written(file, 0, 5, new byte[16], false));
        assertThat(flusher.drain(Await.LIMIT_MS)).isTrue();
        assertThat(calls.of("a"))
                .containsExactly("flush a", "record a", "publish a", "name a", "durable a", "published a", "durable a");
    }

    /** Counts the durable chunks, and runs {@code first} before each batch. */
    private static Flusher.Listener counting(AtomicInteger durable, Runnable first) {
        return new Flusher.Listener() {
            @Override
            public void onDurable(List<Written> chunks, List<ReceiverFile> published) {
                first.run();
                durable.addAndGet(chunks.size());
            }

            @Override
            public void onFailed(ReceiverFile file, TransferException why) {
                throw new AssertionError(why);
            }

            @Override
            public void onBroken(TransferException why) {
                throw new AssertionError(why);
            }
        };
    }

    private static void awaitWaiting(String session) {
        Await.until(
                "the flusher waits",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .anyMatch(thread -> thread.getName().equals("fdt-flusher-" + session)
                                && thread.getState() == Thread.State.TIMED_WAITING));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
