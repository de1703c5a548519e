package io.fdt.core.verify;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Resource;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.IndexSort;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TreeOrder;
import io.fdt.core.plan.TreeSum;
import io.fdt.core.wire.EntryCodec;
import io.fdt.core.wire.VerifyMessage.VerifyName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a receipt in {@link TreeOrder}, in packed form: some fifty bytes for each entry besides its path, so
 * that a million of them fit into a small heap. Filled once, then read; of two entries with one path, the later one
 * counts. Not thread-safe while it is filled.
 */
final class ReceiptEntries {
    private static final int PAGE_BYTES = 1 << 20;
    private static final int FIRST_PLACES = 1024;
    private static final int FIXED_BYTES = Byte.BYTES + 2 * Short.BYTES;

    /** Charged with what these hold; null if they are this side's own. */
    private final @Nullable Budget budget;

    private final List<ByteBuffer> pages = new ArrayList<>();
    /** The start of each entry: its page in the upper bits, the offset in the page in the lower 20. */
    private long[] places = new long[0];

    private int added;
    private int[] order = new int[0];
    private boolean isSorted;

    ReceiptEntries() {
        this(null);
    }

    /** @param budget charged with the entries until it is closed; null if they are this side's own */
    ReceiptEntries(@Nullable Budget budget) {
        this.budget = budget;
    }

    private void take(long heapBytes) {
        if (budget != null) {
            budget.take(Resource.HEAP, heapBytes);
        }
    }

    /** Adds an entry, before {@link #sort}, without its attributes; its digest is empty if it is not known. */
    void add(FileEntry entry, byte[] digest) {
        EntryMetadata metadata = entry.metadata().withoutAttributes();
        byte[] rest = EntryCodec.encode(entry.at(RawPath.EMPTY).with(metadata));
        int bytes = FIXED_BYTES + entry.path().lengthBytes() + digest.length + rest.length;
        ByteBuffer page = pages.isEmpty() ? null : pages.get(pages.size() - 1);
        if (page == null || page.remaining() < bytes) {
            take(PAGE_BYTES);
            page = ByteBuffer.allocate(PAGE_BYTES);
            pages.add(page);
        }
        if (added == places.length) {
            // With the order that they are sorted into.
            take((long) added * (Long.BYTES + 2 * Integer.BYTES));
            places = Arrays.copyOf(places, Math.max(FIRST_PLACES, added * 2));
        }
        isSorted = false;
        places[added++] = (long) (pages.size() - 1) * PAGE_BYTES + page.position();
        page.putShort((short) entry.path().lengthBytes());
        entry.path().putTo(page);
        page.put((byte) digest.length).put(digest);
        page.putShort((short) rest.length).put(rest);
    }

    /** Call it after the last entry was added. */
    void sort() {
        if (isSorted) {
            return;
        }
        isSorted = true;
        int[] all = new int[added];
        Arrays.setAll(all, i -> i);
        IndexSort.sort(all, (left, right) -> TreeOrder.compare(pathAt(left), pathAt(right)));
        int kept = 0;
        for (int i = 0; i < added; i++) {
            // The sort is stable: of equal paths, the last one was added last.
            if (i + 1 == added || !pathAt(all[i]).equals(pathAt(all[i + 1]))) {
                all[kept++] = all[i];
            }
        }
        order = Arrays.copyOf(all, kept);
    }

    int count() {
        return order.length;
    }

    /** Whether a copy of these could have given its only file the target's name. */
    boolean isSingle() {
        return count() == 1 && !isDirectory(0);
    }

    RawPath path(int index) {
        return pathAt(order[index]);
    }

    /** The index of a path; negative if it has none. */
    int find(RawPath path) {
        int low = 0;
        int high = count() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int found = TreeOrder.compare(path(middle), path);
            if (found == 0) {
                return middle;
            }
            low = found < 0 ? middle + 1 : low;
            high = found < 0 ? high : middle - 1;
        }
        return -1;
    }

    private RawPath pathAt(int number) {
        return path(at(number));
    }

    private ByteBuffer at(int number) {
        long place = places[number];
        ByteBuffer page = pages.get((int) (place / PAGE_BYTES)).duplicate();
        return page.clear().position((int) (place % PAGE_BYTES));
    }

    private static RawPath path(ByteBuffer record) {
        return RawPath.ofBytes(bytes(record, record.getShort() & 0xFFFF));
    }

    private static byte[] bytes(ByteBuffer record, int length) {
        byte[] bytes = new byte[length];
        record.get(bytes);
        return bytes;
    }

    private boolean isDirectory(int index) {
        FileEntry entry = entry(index).entry();
        return entry != null && entry.kind() == FileEntry.Kind.DIRECTORY;
    }

    /** The entry; what the receipt does not contain is unknown in the sense of {@link EntryRules}. */
    CheckedEntry entry(int index) {
        return entry(at(order[index]));
    }

    /** Adds the digests, at the start of the hashes. Includes entries that a later one replaced in the sort. */
    void addAllTo(TreeSum sum, int digestBytes) {
        for (int number = 0; number < added; number++) {
            CheckedEntry checked = entry(at(number));
            FileEntry entry = checked.entry();
            if (entry != null) {
                byte[] value = checked.digest();
                sum.add(entry, Arrays.copyOf(value, Math.min(value.length, digestBytes)));
            }
        }
    }

    private static CheckedEntry entry(ByteBuffer record) {
        RawPath path = path(record);
        byte[] digest = bytes(record, record.get());
        byte[] rest = bytes(record, record.getShort() & 0xFFFF);
        try {
            return CheckedEntry.found(EntryCodec.decode(rest).at(path), digest);
        } catch (IOException impossible) {
            throw new UncheckedIOException("it was encoded here", impossible);
        }
    }

    /** The names to request from a side, in order. */
    Iterator<VerifyName> names() {
        return IntStream.range(0, count()).mapToObj(this::name).iterator();
    }

    /** A directory that is only above copied names has no metadata in a receipt. */
    private VerifyName name(int index) {
        FileEntry entry = entry(index).entry();
        if (entry == null || entry.kind() != FileEntry.Kind.DIRECTORY) {
            return new VerifyName(path(index), false, false);
        }
        return new VerifyName(path(index), true, !entry.metadata().isKnown());
    }

    /** The names for the walk on this host. */
    NamedListing.Names namesInTurn() {
        Iterator<VerifyName> names = names();
        return () -> names.hasNext() ? names.next() : null;
    }
}
