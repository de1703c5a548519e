package io.fdt.core.transfer.receiving;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.stats.SessionCounters;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.target.DiscardTarget;
import io.fdt.core.transfer.receiving.Flusher.Written;
import io.fdt.core.transport.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class FlusherTest {
    private static ReceiverFile file() {
        FileEntry entry =
                new FileEntry(RawPath.ofText("x"), FileEntry.Kind.FILE, 10, 0644, 0, 0, 0, 0, false, null, List.of());
        Outcome outcome = new DiscardTarget().want(entry);
        return new ReceiverFile(
                0, entry, ((Outcome.Wanted) outcome).file(), DigestKind.XXH3_128, List.of(), new AtomicInteger());
    }

    /** Chunks would wait for ever to be acknowledged. */
    @Test
    void reportsAMistakeThatEndsItsThread() throws Exception {
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
        try (Flusher flusher = new Flusher("s", Durability.END, () -> {}, new SessionCounters(), failing)) {
            flusher.add(new Written(file(), 0, 10, new byte[16], false));
            TransferException why = broken.get(10, TimeUnit.SECONDS);
            assertThat(why.kind()).isEqualTo(FailureKind.INTERNAL);
            assertThat(why).hasMessageContaining("a mistake");
        }
    }

    /** Of holes a sender makes more in a second than a slow disk flushes. */
    @Test
    void whoOutrunsTheDiskWaits() throws Exception {
        CountDownLatch disk = new CountDownLatch(1);
        AtomicInteger durable = new AtomicInteger();
        int all = 40_000;
        AtomicInteger added = new AtomicInteger();
        Flusher flusher =
                new Flusher("s", Durability.END, () -> {}, new SessionCounters(), counting(durable, () -> await(disk)));
        ReceiverFile file = file();
        Thread lane = new Thread(() -> {
            for (int i = 0; i < all; i++) {
                flusher.add(new Written(file, i, 1, new byte[16], false));
                added.incrementAndGet();
            }
        });
        lane.start();
        Await.until("the lane waits", () -> lane.getState() == Thread.State.TIMED_WAITING && added.get() > 30_000);
        assertThat(added.get()).isLessThan(all);
        disk.countDown();
        lane.join(20_000);
        assertThat(flusher.drain(20_000)).isTrue();
        assertThat(durable).hasValue(all);
        // After its end nobody waits.
        flusher.add(new Written(file, 0, 1, new byte[16], false));
    }

    /** A session's last message waits for it, on a long path and on a short one. */
    @Test
    void isThereAtOnceForWhateverComesAfterAWhileOfNothing() {
        AtomicInteger durable = new AtomicInteger();
        Duration soon = Duration.ofSeconds(5);
        Flusher flusher =
                new Flusher("idle", Durability.END, () -> {}, new SessionCounters(), counting(durable, () -> {}));
        awaitIdle();
        flusher.add(new Written(file(), 0, 10, new byte[16], false));
        Await.until("it is durable", soon, () -> durable.get() == 1);
        awaitIdle();
        ReceiverFile dropped = file();
        flusher.drop(dropped, false);
        Await.until("it is dropped", soon, () -> dropped.ended);
        awaitIdle();
        assertThat(flusher.drain(soon.toMillis())).isTrue();
    }

    /** Counts the chunks that are durable, each batch after what comes first. */
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

    private static void awaitIdle() {
        Await.until(
                "the flusher waits",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .anyMatch(thread -> thread.getName().equals("fdt-flusher-idle")
                                && thread.getState() == Thread.State.TIMED_WAITING));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
