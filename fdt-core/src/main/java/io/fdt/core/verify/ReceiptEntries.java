package io.fdt.core.verify;

import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.IndexSort;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TreeOrder;
import io.fdt.core.plan.TreeSum;
import io.fdt.core.wire.VerifyMessage.VerifyName;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The entries of a receipt in {@link TreeOrder}, in packed form: some fifty bytes for each entry besides its path, so
 * that a million of them fit into a small heap. Filled once, then read; of two entries with one path, the later one
 * counts. Not thread-safe while it is filled.
 */
final class ReceiptEntries {
    private static final int PAGE_BYTES = 1 << 20;
    private static final int FIXED_BYTES = 2 * Byte.BYTES + 2 * Short.BYTES + 2 * Integer.BYTES + 2 * Long.BYTES;
    private static final int NO_LINK = 0xFFFF;

    private final List<ByteBuffer> pages = new ArrayList<>();
    /** The start of each entry: its page in the upper bits, the offset in the page in the lower 20. */
    private long[] places = new long[1024];

    private int added;
    private int[] order = new int[0];
    private boolean isSorted;

    /** Adds an entry, before {@link #sort}; its digest is empty if it is not known. */
    void add(FileEntry entry, byte[] digest) {
        RawPath link = entry.linkTarget();
        int linkBytes = link == null ? 0 : link.lengthBytes();
        int bytes = FIXED_BYTES + entry.path().lengthBytes() + linkBytes + digest.length;
        ByteBuffer page = pages.isEmpty() ? null : pages.get(pages.size() - 1);
        if (page == null || page.remaining() < bytes) {
            page = ByteBuffer.allocate(PAGE_BYTES);
            pages.add(page);
        }
        if (added == places.length) {
            places = Arrays.copyOf(places, added * 2);
        }
        isSorted = false;
        places[added++] = (long) (pages.size() - 1) * PAGE_BYTES + page.position();
        page.putShort((short) entry.path().lengthBytes());
        entry.path().putTo(page);
        page.put((byte) entry.kind().code());
        page.putLong(entry.sizeBytes());
        page.putInt(entry.mode());
        page.putLong(entry.modifiedSeconds());
        page.putInt(entry.modifiedNanos());
        page.putShort((short) (link == null ? NO_LINK : linkBytes));
        if (link != null) {
            link.putTo(page);
        }
        page.put((byte) digest.length);
        page.put(digest);
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
        return count() == 1 && kind(0) != FileEntry.Kind.DIRECTORY;
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

    private FileEntry.Kind kind(int index) {
        ByteBuffer record = at(order[index]);
        path(record);
        return kind(record.get());
    }

    private static FileEntry.Kind kind(byte code) {
        FileEntry.Kind kind = FileEntry.Kind.ofCode(code);
        if (kind == null) {
            throw new IllegalStateException("no kind has the code " + code);
        }
        return kind;
    }

    /** The entry; what the receipt does not contain is unknown in the sense of {@link EntryRules}. */
    CheckedEntry entry(int index) {
        return entry(at(order[index]));
    }

    /** Includes entries that a later one of the same path replaced in the sort. */
    void addAllTo(TreeSum sum) {
        for (int number = 0; number < added; number++) {
            CheckedEntry checked = entry(at(number));
            FileEntry entry = checked.entry();
            if (entry != null) {
                sum.add(entry, checked.digest());
            }
        }
    }

    private static CheckedEntry entry(ByteBuffer record) {
        RawPath path = path(record);
        FileEntry.Kind kind = kind(record.get());
        long sizeBytes = record.getLong();
        int mode = record.getInt();
        long modifiedSeconds = record.getLong();
        int modifiedNanos = record.getInt();
        int linkBytes = record.getShort() & 0xFFFF;
        RawPath link = linkBytes == NO_LINK ? null : RawPath.ofBytes(bytes(record, linkBytes));
        byte[] digest = bytes(record, record.get());
        return CheckedEntry.found(
                new FileEntry(
                        path, kind, sizeBytes, mode, modifiedSeconds, modifiedNanos, 0, 0, false, link, List.of()),
                digest);
    }

    /** The names to request from a side, in order. */
    Iterator<VerifyName> names() {
        return IntStream.range(0, count())
                .mapToObj(index -> new VerifyName(path(index), kind(index) == FileEntry.Kind.DIRECTORY))
                .iterator();
    }

    /** The names for the walk on this host. */
    NamedListing.Names namesInTurn() {
        Iterator<VerifyName> names = names();
        return () -> names.hasNext() ? names.next() : null;
    }
}
