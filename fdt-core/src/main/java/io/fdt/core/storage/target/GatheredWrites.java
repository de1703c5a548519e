package io.fdt.core.storage.target;

import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.posix.FileData;

/**
 * What one lane writes to files past the page cache: leaves in a row are gathered until they are one large write from
 * aligned memory. That copies them once, where the page cache would have. The lane's thread only.
 */
public final class GatheredWrites implements AutoCloseable {
    private static final int CAPACITY_BYTES = 1 << 20;

    /** Mapped at the first need: most lanes never have it. */
    private long memory;

    private long startOffset;
    private int filledBytes;

    public boolean isEmpty() {
        return filledBytes == 0;
    }

    /** Takes these bytes, and writes what had been gathered if they do not follow it or do not fit. */
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

    /** Writes what is gathered, all of which is this file's. */
    public void writeTo(TargetFile file) {
        int length = filledBytes;
        filledBytes = 0;
        if (length > 0) {
            file.write(memory, length, startOffset);
        }
    }

    /** Nobody wants what is gathered. */
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
