package io.fdt.core.transfer.sending;

import io.fdt.core.failure.Cause;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.source.Sources;
import io.fdt.core.storage.source.WholeFiles;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Sources in memory, whose files fail on request. */
public final class FakeSources implements Sources {
    private final ArrayDeque<FileEntry> entries = new ArrayDeque<>();
    private final Map<RawPath, FakeFile> files = new HashMap<>();
    private long zeroDurationNanos = -1;
    private int open;
    private int readTogether;

    /** Adds a file of random bytes. */
    public FakeFile file(String name, int sizeBytes) {
        FakeFile file = new FakeFile(sizeBytes);
        RawPath path = RawPath.ofText(name);
        entries.add(Entries.file(path, sizeBytes));
        files.put(path, file);
        return file;
    }

    /** Adds a stream of zeros that lasts this long. */
    void zeros(long durationNanos) {
        entries.add(Entries.stream("zero", Entries.METADATA));
        zeroDurationNanos = durationNanos;
    }

    /** So many zeros. */
    void zerosOf(int sizeBytes) {
        RawPath path = RawPath.ofText("zero");
        entries.add(Entries.of(Kind.STREAM, path, sizeBytes, Entries.METADATA));
        files.put(path, new FakeFile(sizeBytes));
    }

    public void directory(String name) {
        entries.add(Entries.directory(name, new EntryMetadata(0755, 1, 2, 3, 4, List.of())));
    }

    int open() {
        return open;
    }

    @Override
    public @Nullable FileEntry next() {
        return entries.poll();
    }

    @Override
    public SourceFile open(FileEntry entry) {
        FakeFile file = files.get(entry.path());
        if (file == null || file.missing) {
            throw Cause.SOURCE.failure(entry.path().display() + ": has vanished");
        }
        open++;
        return file;
    }

    @Override
    public boolean readsWholeFiles() {
        return true;
    }

    @Override
    public int read(WholeFiles small) {
        int read = 0;
        while (read < small.count()) {
            FileEntry entry = small.entry(read);
            FakeFile file = files.get(entry.path());
            if (file == null || file.missing || file.changed || file.readable < entry.sizeBytes()) {
                break;
            }
            Libc.bufferAt(small.into(read), file.content.length).put(file.content);
            read++;
        }
        readTogether += read;
        return read;
    }

    /** Returns how many files were read together, without being opened one by one. */
    int readTogether() {
        return readTogether;
    }

    @Override
    public boolean isSingleFile() {
        return false;
    }

    @Override
    public long zeroDurationNanos() {
        return zeroDurationNanos;
    }

    @Override
    public void close() {}

    public final class FakeFile implements SourceFile {
        final byte[] content;
        private int readable;
        private boolean missing;
        private boolean changed;
        private boolean broken;

        FakeFile(int sizeBytes) {
            content = new byte[sizeBytes];
            new Random(sizeBytes).nextBytes(content);
            readable = sizeBytes;
        }

        public byte[] content() {
            return content.clone();
        }

        /** Makes opening the file fail. */
        void vanish() {
            missing = true;
        }

        /** Makes the file end before its listed size. */
        void shrinkTo(int bytes) {
            readable = bytes;
        }

        /** Simulates another program that writes to the file while it is read. */
        void change() {
            changed = true;
        }

        /** Makes reads beyond this size fail. */
        void breakAt(int bytes) {
            readable = bytes;
            broken = true;
        }

        @Override
        public int read(long address, int lengthBytes, long offset) {
            int count = (int) Math.max(0, Math.min(lengthBytes, readable - offset));
            if (count < lengthBytes && broken) {
                throw Cause.SOURCE.failure("Input/output error");
            }
            Libc.bufferAt(address, count).put(content, (int) offset, count);
            return count;
        }

        @Override
        public long presentLeaves(long offset, int leaves, int leafBytes) {
            return SourceFile.allLeaves(leaves);
        }

        @Override
        public boolean unchanged() {
            return !changed;
        }

        @Override
        public void close() {
            open--;
        }
    }
}
