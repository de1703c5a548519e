package io.fdt.core.storage.source;

import io.fdt.core.plan.IndexSort;
import io.fdt.core.plan.RawPath;
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

    SortedNames(int fd, ByteBuffer buffer) {
        super(fd, buffer);
    }

    @Override
    public int next(@Nullable RawPath[] name) {
        if (!complete) {
            int outcome = readAll(name);
            if (outcome < 0) {
                return outcome;
            }
        }
        if (given == count) {
            return 0;
        }
        int index = order[given++];
        name[0] = RawPath.ofBytes(Arrays.copyOfRange(bytes, starts[index], starts[index + 1]));
        return 1;
    }

    private int readAll(@Nullable RawPath[] name) {
        int found = super.next(name);
        while (found > 0) {
            RawPath next = name[0];
            if (next != null && !add(next)) {
                return -Errno.E2BIG;
            }
            found = super.next(name);
        }
        if (found < 0) {
            return found;
        }
        order = new int[count];
        Arrays.setAll(order, i -> i);
        IndexSort.sort(order, this::compare);
        complete = true;
        return 0;
    }

    /** Returns false if there are more names than one array can hold. */
    private boolean add(RawPath name) {
        int start = starts[count];
        if (start > BYTES_MAX - name.lengthBytes()) {
            return false;
        }
        int end = start + name.lengthBytes();
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(BYTES_MAX, Math.max(end, bytes.length * 2L)));
        }
        name.putTo(ByteBuffer.wrap(bytes, start, name.lengthBytes()));
        count++;
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, count * 2);
        }
        starts[count] = end;
        return true;
    }

    private int compare(int left, int right) {
        return Arrays.compareUnsigned(bytes, starts[left], starts[left + 1], bytes, starts[right], starts[right + 1]);
    }
}
