package io.fdt.core.storage;

import io.fdt.core.plan.RawPath;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The directories of a session with what they get at its end: the path's bytes and 20 more each, so that a million of
 * them cost some tens of megabytes. Read backwards, children come before parents. One thread.
 */
final class DirectoryLog {
    static final int NO_MODE = -1;
    private static final int PAGE_BYTES = 64 * 1024;
    /** Seconds, nanos, mode, path length. */
    private static final int FIXED_BYTES = 8 + 4 + 4 + 4;

    private final List<ByteBuffer> pages = new ArrayList<>();

    /** One directory on the way back. */
    interface Visitor {
        void visit(RawPath path, int mode, long modifiedSeconds, int modifiedNanos);
    }

    void add(RawPath path, int mode, long modifiedSeconds, int modifiedNanos) {
        ByteBuffer page = pages.isEmpty() ? ByteBuffer.allocate(0) : pages.get(pages.size() - 1);
        if (page.remaining() < path.lengthBytes() + FIXED_BYTES) {
            page = ByteBuffer.allocate(Math.max(PAGE_BYTES, path.lengthBytes() + FIXED_BYTES));
            pages.add(page);
        }
        path.putTo(page);
        page.putLong(modifiedSeconds).putInt(modifiedNanos).putInt(mode).putInt(path.lengthBytes());
    }

    /** Visits from the last to the first. */
    void forEachBackwards(Visitor visitor) {
        for (int i = pages.size() - 1; i >= 0; i--) {
            ByteBuffer page = pages.get(i);
            int end = page.position();
            while (end > 0) {
                int fixed = end - FIXED_BYTES;
                int length = page.getInt(fixed + 16);
                byte[] path = new byte[length];
                page.get(fixed - length, path);
                visitor.visit(
                        RawPath.ofBytes(path), page.getInt(fixed + 12), page.getLong(fixed), page.getInt(fixed + 8));
                end = fixed - length;
            }
        }
    }
}
