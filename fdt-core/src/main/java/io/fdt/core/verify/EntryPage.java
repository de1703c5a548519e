package io.fdt.core.verify;

import io.fdt.core.failure.Failure;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.wire.Bounds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one message: those that are available, as far as a message holds them.
 *
 * @param more whether others may follow
 */
public record EntryPage(List<CheckedEntry> entries, boolean more) {
    private static final int MAX_BYTES = 256 * 1024;
    private static final int ENTRY_OVERHEAD_BYTES = 64;

    /** @param first of the page; null if the source has ended */
    public static EntryPage fill(EntrySource source, @Nullable CheckedEntry first) throws InterruptedException {
        List<CheckedEntry> entries = new ArrayList<>();
        long bytes = 0;
        CheckedEntry next = first;
        while (next != null) {
            entries.add(next);
            bytes += bytesOf(next);
            if (isFull(entries.size(), bytes) || !source.isReady()) {
                break;
            }
            next = source.next();
        }
        return new EntryPage(entries, next != null);
    }

    /** Whether a message with this many entries, of this many bytes, takes no more. */
    public static boolean isFull(int entries, long bytes) {
        return entries == Bounds.MAX_PAGE_ENTRIES || bytes >= MAX_BYTES;
    }

    public static long bytesOf(CheckedEntry checked) {
        FileEntry entry = checked.entry();
        Failure why = checked.failure();
        return ENTRY_OVERHEAD_BYTES
                + (entry == null ? checked.path().lengthBytes() : entry.heapBytes())
                + (why == null ? 0 : 3L * why.chars());
    }
}
