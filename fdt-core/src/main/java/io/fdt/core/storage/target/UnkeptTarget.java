package io.fdt.core.storage.target;

import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.Target;
import io.fdt.core.storage.TargetFile;
import java.util.List;
import java.util.function.BiConsumer;

/** A target that keeps nothing: there is nothing to flush, resume or close. */
abstract class UnkeptTarget implements Target {
    @Override
    public void keep(FileEntry entry) {}

    @Override
    public void syncFileSystem() {}

    @Override
    public void syncRest() {}

    @Override
    public void finishDirectories(BiConsumer<RawPath, TransferException> problems) {}

    @Override
    public long freeBytes() {
        return Long.MAX_VALUE;
    }

    @Override
    public void close() {}

    /** A file of such a target: written data is discarded or already passed on. */
    abstract static class UnkeptFile implements TargetFile {
        @Override
        public void sync() {}

        @Override
        public boolean record(List<ChunkRecord> chunks) {
            return false;
        }

        @Override
        public void seal() {}

        @Override
        public void publish() {}

        @Override
        public boolean abandon(boolean keepForResume) {
            return false;
        }
    }
}
