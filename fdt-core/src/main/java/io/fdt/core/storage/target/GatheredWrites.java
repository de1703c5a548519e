package io.fdt.core.storage.target;

import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.posix.FileData;

/**
 * Gathers the writes of one lane that bypass the page cache: consecutive leaves are combined into one large write from
 * aligned memory. This copies them once, as the page cache would. For the lane's thread.
 */
public final class GatheredWrites implements AutoCloseable {
    private static final int CAPACITY_BYTES = 1 << 20;

    /** Mapped on first use: most lanes never need it. */
    private long memory;

    private long startOffset;
    private int filledBytes;

    public boolean isEmpty() {
        return filledBytes == 0;
    }

    /** Adds these bytes, after writing the gathered ones if the new ones do not follow them or do not fit. */
    public void write(TargetFile file, long address, int lengthBytes, long offset) {
        if (offset != startOffset + filledBytes || lengthBytes > CAPACITY_BYTES - filledBytes) {
            writeTo(file);
        }
        if (lengthBytes > CAPACITY_BYTES || !hasMemory()) {
            file.write(address, lengthBytes, offset);
            return;
        }
        if (filledBytes == 0) {
            startOffset = offset;
        }
        FileData.copy(address, memory + filledBytes, lengthBytes);
        filledBytes += lengthBytes;
    }

    private boolean hasMemory() {
        if (memory == 0) {
            memory = FileData.mapMemory(CAPACITY_BYTES);
        }
        return memory != 0;
    }

    /** Writes the gathered bytes, all of which belong to this file. */
    public void writeTo(TargetFile file) {
        int length = filledBytes;
        filledBytes = 0;
        if (length > 0) {
            file.write(memory, length, startOffset);
        }
    }

    public void forget() {
        filledBytes = 0;
    }

    @Override
    public void close() {
        forget();
        if (memory != 0) {
            FileData.unmapMemory(memory, CAPACITY_BYTES);
            memory = 0;
        }
    }
}
