package io.fdt.core.storage.target;

import io.fdt.core.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.Target;
import io.fdt.core.storage.TargetFile;
import java.util.List;
import java.util.function.BiConsumer;

/** Takes everything and keeps nothing: {@code /dev/null}. Thread-safe. */
public final class DiscardTarget implements Target {
    static final TargetFile FILE = new DiscardedFile();

    @Override
    public Outcome prepare(FileEntry entry) {
        return entry.hasData() ? want(entry) : new Outcome.Made();
    }

    @Override
    public Outcome want(FileEntry entry) {
        return new Outcome.Wanted(FILE, List.of(), null);
    }

    @Override
    public void keep(FileEntry entry) {
        // Nothing is kept.
    }

    @Override
    public void syncFileSystem() {
        // Nothing is kept.
    }

    @Override
    public void syncRest() {
        // Nothing is kept.
    }

    @Override
    public void finishDirectories(BiConsumer<RawPath, TransferException> problems) {
        // Nothing is kept.
    }

    @Override
    public long freeBytes() {
        return Long.MAX_VALUE;
    }

    @Override
    public void close() {
        // Nothing is held.
    }

    /** Has no state, so one is enough for all. */
    private static final class DiscardedFile implements TargetFile {
        @Override
        public boolean discards() {
            return true;
        }

        @Override
        public void write(long address, int lengthBytes, long offset) {
            // Gone.
        }

        @Override
        public void zero(long offset, long lengthBytes) {
            // Gone.
        }

        @Override
        public int read(long address, int lengthBytes, long offset) {
            return 0;
        }

        @Override
        public void sync() {
            // Nothing is kept.
        }

        @Override
        public void record(List<ChunkRecord> chunks) {
            // Nothing is kept.
        }

        @Override
        public void seal() {
            // Nothing is kept.
        }

        @Override
        public void publish() {
            // Nothing is kept.
        }

        @Override
        public void abandon(boolean keepForResume) {
            // Nothing is kept.
        }

        @Override
        public void close() {
            // Nothing is held.
        }
    }
}
