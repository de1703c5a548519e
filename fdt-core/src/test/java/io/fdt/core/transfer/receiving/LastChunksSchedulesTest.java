package io.fdt.core.transfer.receiving;

import static io.fdt.core.transport.Schedules.require;
import static io.fdt.core.transport.Schedules.together;

import io.fdt.core.basic.Clock;
import io.fdt.core.budget.Budgets;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.transfer.receiving.Flusher.Written;
import io.fdt.core.transport.Schedules;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Lanes that finish, resend and give up the chunks of one file, beside the flusher. */
final class LastChunksSchedulesTest {
    private static final int LEAF = TreeDigest.LEAF_BYTES;

    private static final class Counting implements Flusher.Listener {
        final AtomicInteger durable = new AtomicInteger();
        final AtomicInteger published = new AtomicInteger();
        final AtomicInteger failed = new AtomicInteger();

        @Override
        public void onDurable(List<Written> chunks, List<ReceiverFile> files) {
            durable.addAndGet(chunks.size());
            published.addAndGet(files.size());
        }

        @Override
        public void onFailed(ReceiverFile file, TransferException why) {
            failed.incrementAndGet();
        }

        @Override
        public void onBroken(TransferException why) {
            failed.incrementAndGet();
        }
    }

    private static ReceiverFile file(TargetFile target, int leaves) {
        return new ReceiverFile(
                0,
                Entries.file("f", (long) leaves * LEAF, EntryMetadata.ofMode(0644)),
                target,
                DigestKind.NONE,
                List.of(),
                new AtomicInteger(),
                new AtomicLong());
    }

    private static Flusher flusher(Flusher.Listener listener) {
        return new Flusher("s", Budgets.ofProcess(), Durability.END, () -> {}, listener, Clock.SYSTEM, 0);
    }

    /** A chunk arrives; returns what the lane reports to the flusher, or null if it is not needed. */
    private static @Nullable Written arrive(ReceiverFile file, long offset) {
        WriteGrant grant = file.begin(offset, LEAF, 0);
        if (grant == null || !file.end(grant, new byte[0])) {
            return null;
        }
        boolean completes = file.claimCompletion();
        if (completes) {
            file.target.seal();
        }
        return new Written(file, offset, LEAF, new byte[0], completes);
    }

    private static void arrive(ReceiverFile file, long offset, Flusher flusher) {
        Written written = arrive(file, offset);
        if (written != null) {
            flusher.add(written);
        }
    }

    /** The scheduler lets a wait with a limit end at once. */
    private static void awaitEnd(Flusher flusher) {
        while (!flusher.drain(1)) {
            Thread.onSpinWait();
        }
    }

    /** Of two lanes that write the last chunks at once, one may report its own after the file has its name. */
    @Test
    void twoLanesFinishTheLastChunksOfAFile() {
        Schedules.explore(60, () -> {
            StrictTarget target = new StrictTarget();
            Counting counting = new Counting();
            ReceiverFile file = file(target, 2);
            Written first = arrive(file, 0);
            require(first != null && !first.completes(), "another chunk is missing");
            Flusher flusher = flusher(counting);
            together(() -> arrive(file, LEAF, flusher), () -> flusher.add(first));
            awaitEnd(flusher);
            require(counting.failed.get() == 0, "nothing fails");
            require(counting.durable.get() == 2, "both chunks are acknowledged, not " + counting.durable.get());
            require(counting.published.get() == 1 && target.published == 1, "it is published once");
        });
    }

    /** The source fails, or another chunk of the file, while a lane writes the last one. */
    @Test
    void aFileIsPublishedOrGivenUpAndItsTargetEndsOnce() {
        Schedules.explore(30, () -> {
            StrictTarget target = new StrictTarget();
            Counting counting = new Counting();
            ReceiverFile file = file(target, 1);
            Flusher flusher = flusher(counting);
            together(() -> arrive(file, 0, flusher), () -> {
                if (file.giveUp()) {
                    flusher.drop(file, false);
                }
            });
            awaitEnd(flusher);
            require(counting.failed.get() == 0, "nothing fails");
            require(target.published + target.abandoned == 1, "it ends once");
            require(counting.durable.get() == target.published, "only what has its name is acknowledged");
        });
    }

    /** The first attempt is slow in its write. Whoever completes the file has seen its end. */
    @Test
    void noWriteOfAnOlderAttemptFollowsACompleteFile() {
        Schedules.explore(60, () -> {
            StrictTarget target = new StrictTarget();
            ReceiverFile file = file(target, 1);
            together(() -> attempt(file, target, 0), () -> attempt(file, target, 1), () -> attempt(file, target, 2));
        });
    }

    private static void attempt(ReceiverFile file, StrictTarget target, int number) {
        WriteGrant grant = file.begin(0, LEAF, number);
        if (grant == null) {
            return;
        }
        synchronized (grant) {
            if (!grant.isRevoked()) {
                target.write(number);
            }
        }
        if (file.end(grant, new byte[0]) && file.claimCompletion()) {
            require(target.content == number, "the content is that of the attempt that counts");
            target.close();
        }
    }
}
