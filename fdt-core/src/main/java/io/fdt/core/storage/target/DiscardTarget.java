package io.fdt.core.storage.target;

import io.fdt.core.plan.FileEntry;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.TargetFile;
import java.util.List;

/** Accepts everything and keeps nothing: {@code /dev/null}. Thread-safe. */
public final class DiscardTarget extends UnkeptTarget {
    static final TargetFile FILE = new DiscardedFile();

    @Override
    public Outcome prepare(FileEntry entry) {
        return entry.hasData() ? prepareChanged(entry) : new Outcome.Made();
    }

    @Override
    public Outcome prepareChanged(FileEntry entry) {
        return new Outcome.Wanted(FILE, List.of(), null);
    }

    /** Has no state, so one instance is enough. */
    private static final class DiscardedFile extends UnkeptFile {
        @Override
        public boolean discards() {
            return true;
        }

        @Override
        public void write(long address, int lengthBytes, long offset) {
            // Discarded.
        }

        @Override
        public void zero(long offset, long lengthBytes) {
            // Discarded.
        }
    }
}
