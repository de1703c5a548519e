package io.fdt.core.storage.source;

import io.fdt.core.plan.Range;
import io.fdt.core.storage.SourceFile;

/** One range of an opened source, read like a separate file. Takes over the file. Thread-safe, like the file. */
public record SourceRange(SourceFile file, Range range) implements SourceFile {
    @Override
    public int read(long address, int wantedBytes, long offset) {
        int within = (int) Math.min(wantedBytes, Math.max(0, range.lengthBytes() - offset));
        return within == 0 ? 0 : file.read(address, within, range.offset() + offset);
    }

    @Override
    public long presentLeaves(long offset, int leaves, int leafBytes) {
        return file.presentLeaves(range.offset() + offset, leaves, leafBytes);
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
