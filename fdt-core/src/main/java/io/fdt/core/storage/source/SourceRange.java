package io.fdt.core.storage.source;

import io.fdt.core.plan.FileRange;
import io.fdt.core.storage.SourceFile;

/** One range of an opened source, read as if it were a file of its own. Thread-safe, as the file is. */
final class SourceRange implements SourceFile {
    private final SourceFile file;
    private final long start;
    private final long lengthBytes;

    /** Takes over the file. */
    SourceRange(SourceFile file, FileRange range) {
        this.file = file;
        this.start = range.offset();
        this.lengthBytes = range.lengthBytes();
    }

    @Override
    public int read(long address, int wantedBytes, long offset) {
        int within = (int) Math.min(wantedBytes, Math.max(0, lengthBytes - offset));
        return within == 0 ? 0 : file.read(address, within, start + offset);
    }

    @Override
    public long presentLeaves(long offset, int leaves, int leafBytes) {
        return file.presentLeaves(start + offset, leaves, leafBytes);
    }

    @Override
    public boolean unchanged() {
        return file.unchanged();
    }

    @Override
    public boolean bypassCache() {
        return file.bypassCache();
    }

    @Override
    public void close() {
        file.close();
    }
}
