package io.fdt.core.storage.source;

import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.posix.FileData;

/** Zeros without a file: {@code /dev/zero}, endless or of a given size. They count as data, never as holes. */
public final class ZeroSource implements SourceFile {
    private final long sizeBytes;

    /** @param sizeBytes the size, or -1 for no end */
    public ZeroSource(long sizeBytes) {
        this.sizeBytes = sizeBytes < 0 ? Long.MAX_VALUE : sizeBytes;
    }

    @Override
    public int read(long address, int lengthBytes, long offset) {
        int count = (int) Math.min(lengthBytes, Math.max(0, sizeBytes - offset));
        FileData.fill(address, (byte) 0, count);
        return count;
    }

    @Override
    public void close() {
        // There is nothing to close.
    }
}
