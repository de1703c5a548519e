package io.fdt.core.storage.source;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Resource;
import io.fdt.core.plan.IndexSort;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Errno;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The names of one directory in byte order. All of them are read before the first is returned, and stored compactly:
 * the bytes of the names and eight bytes for each name. A directory that cannot be read to its end yields no names. For
 * one thread.
 */
final class SortedNames extends DirectoryReader {
    private static final int BYTES_MAX = Integer.MAX_VALUE - 64;

    private byte[] bytes = new byte[1024];
    private int[] starts = new int[64];
    private int[] order = new int[0];
    private int count;
    private int given;
    private boolean complete;
    private boolean isFull;

    private final Budget budget;
    private long heldBytes;

    /** @param budget charged with the names */
    SortedNames(Descriptor directory, ByteBuffer buffer, Budget budget) {
        super(directory, buffer);
        this.budget = budget;
    }

    private void hold(long more) {
        budget.take(Resource.HEAP, more);
        heldBytes += more;
    }

    @Override
    void forget() {
        bytes = new byte[0];
        starts = new int[0];
        order = new int[0];
        budget.give(Resource.HEAP, heldBytes);
        heldBytes = 0;
    }

    @Override
    public @Nullable RawPath next() {
        if (!complete) {
            complete = readAll();
        }
        if (!complete || given == count) {
            return null;
        }
        int index = order[given++];
        return RawPath.ofBytes(Arrays.copyOfRange(bytes, starts[index], starts[index + 1]));
    }

    @Override
    int outcome() {
        return isFull ? -Errno.E2BIG : super.outcome();
    }

    private boolean readAll() {
        for (RawPath name = super.next(); name != null; name = super.next()) {
            budget.requireOpen();
            if (!add(name)) {
                isFull = true;
                return false;
            }
        }
        if (super.outcome() < 0) {
            return false;
        }
        // One array for the order, and one to sort it.
        hold(2L * Integer.BYTES * count);
        order = new int[count];
        Arrays.setAll(order, i -> i);
        IndexSort.sort(order, this::compare);
        return true;
    }

    /** Returns false if there are more names than one array can hold. */
    private boolean add(RawPath name) {
        int start = starts[count];
        if (start > BYTES_MAX - name.lengthBytes()) {
            return false;
        }
        int end = start + name.lengthBytes();
        if (end > bytes.length) {
            int length = (int) Math.min(BYTES_MAX, Math.max(end, bytes.length * 2L));
            hold((long) length - bytes.length);
            bytes = Arrays.copyOf(bytes, length);
        }
        name.putTo(ByteBuffer.wrap(bytes, start, name.lengthBytes()));
        count++;
        if (count == starts.length) {
            hold((long) Integer.BYTES * count);
            starts = Arrays.copyOf(starts, count * 2);
        }
        starts[count] = end;
        return true;
    }

    private int compare(int left, int right) {
        budget.requireOpen();
        return Arrays.compareUnsigned(bytes, starts[left], starts[left + 1], bytes, starts[right], starts[right + 1]);
    }
}
