package io.fdt.core.transfer.receiving;

import static io.fdt.core.transport.Schedules.require;

import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.TargetFile;
import java.util.List;

/** A target that must not be used after its end. */
final class StrictTarget implements TargetFile {
    private boolean over;
    int published;
    int abandoned;
    /** The value that the last write left. */
    int content;

    private synchronized void use(String call) {
        require(!over, call + " before the end");
    }

    void write(int value) {
        use("write");
        content = value;
    }

    @Override
    public void write(long address, int lengthBytes, long offset) {
        use("write");
    }

    @Override
    public void zero(long offset, long lengthBytes) {
        use("zero");
    }

    @Override
    public void sync() {
        use("sync");
    }

    @Override
    public boolean record(List<ChunkRecord> chunks) {
        use("record");
        return true;
    }

    @Override
    public boolean recordsAtOnce() {
        return true;
    }

    @Override
    public void seal() {
        use("seal");
    }

    @Override
    public synchronized void publish() {
        use("publish");
        published++;
    }

    @Override
    public void syncName() {}

    @Override
    public synchronized boolean abandon(boolean keepForResume) {
        use("abandon");
        abandoned++;
        return keepForResume;
    }

    @Override
    public synchronized void close() {
        over = true;
    }
}
