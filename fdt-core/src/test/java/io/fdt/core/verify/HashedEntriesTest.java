package io.fdt.core.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.budget.Budgets;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.transport.Await;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class HashedEntriesTest {
    /** A directory whose file system does not answer for now, whoever asks to stop. */
    private static final class HangingListing implements Listing {
        final CountDownLatch begun = new CountDownLatch(1);
        volatile boolean hangs = true;
        volatile boolean closed;

        @Override
        public @Nullable CheckedEntry next() {
            begun.countDown();
            Await.until("the file system answers", () -> !hangs);
            return null;
        }

        @Override
        public SourceFile open(FileEntry entry) {
            throw new AssertionError("there is no file");
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    /** The numbers of its descriptors may soon be those of other files. */
    @Test
    void doesNotCloseTheListingWhileItIsRead() throws InterruptedException {
        HangingListing listing = new HangingListing();
        try (HashThreads threads = new HashThreads(DigestKind.NONE, 1, Budgets.ofProcess(), bytes -> {})) {
            HashedEntries entries = new HashedEntries(listing, threads, new RunningTotals(), false, warning -> {});
            listing.begun.await();
            entries.close();
            boolean closedMeanwhile = listing.closed;
            listing.hangs = false;
            assertThat(closedMeanwhile).isFalse();
            Await.until("the listing is closed", () -> listing.closed);
        }
    }
}
