package io.fdt.core.files;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Resource;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.FileOperation.Piece;
import io.fdt.core.storage.Located;
import io.fdt.core.storage.ReadBuffer;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.verify.EntryPage;
import io.fdt.core.verify.NamedFiles;
import io.fdt.core.wire.Bounds;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Reads the files of an operation, or ranges of them, in order. Small ones share a message, so that many of them need
 * no more messages than one of their size. For one thread.
 */
final class ReadFiles {
    private static final int MOST_BYTES = Bounds.MAX_READ_BYTES;

    private final FileOperation operation;
    private final IntConsumer pace;
    private final Budget budget;
    private final NamedFiles files;
    private final Taker taker;

    private final List<CheckedEntry> entries = new ArrayList<>();
    private long entriesBytes;
    /** What was read and not passed on, at the start of the buffer. */
    private int filled;

    /** Receives what is read; may wait. */
    interface Taker {
        /** Files, whose data follows, and those that cannot be read. */
        void onEntries(List<CheckedEntry> entries) throws InterruptedException;

        /** The next bytes of these files. */
        void onData(byte[] bytes) throws InterruptedException;

        /** A file was read to its end, or cannot be read. */
        void onRead(CheckedEntry entry, long readBytes);
    }

    /**
     * @param pace accepts the bytes of each read before it, and may wait or throw
     * @param budget charged with what it holds, and in whose turns it works
     */
    ReadFiles(FileOperation operation, Located.Finder finder, IntConsumer pace, Budget budget, Taker taker) {
        this.operation = operation;
        this.pace = pace;
        this.budget = budget;
        this.files = new NamedFiles(operation.paths(), finder, budget);
        this.taker = taker;
    }

    /** @throws TransferException if a file changes, or fails, after a part of it was passed on */
    void run() throws InterruptedException {
        budget.take(Resource.DIRECT_MEMORY, MOST_BYTES);
        try {
            ReadBuffer buffer = new ReadBuffer(MOST_BYTES);
            int path = 0;
            for (CheckedEntry next = files.next(); next != null; next = files.next()) {
                read(next, operation.piecesOf(path++), buffer);
            }
            flush(buffer);
        } finally {
            budget.give(Resource.DIRECT_MEMORY, MOST_BYTES);
        }
    }

    private void read(CheckedEntry listed, List<Piece> pieces, ReadBuffer buffer) throws InterruptedException {
        FileEntry entry = listed.entry();
        if (entry == null) {
            pass(listed, buffer);
            return;
        }
        SourceFile opened;
        try {
            opened = budget.inTurn(() -> files.open(entry));
        } catch (TransferException failure) {
            pass(CheckedEntry.unreadable(entry.path(), failure), buffer);
            return;
        }
        try (SourceFile file = opened) {
            add(listed, buffer);
            long done = 0;
            for (Piece piece : pieces) {
                done += read(file, entry, piece, buffer);
            }
            if (!file.unchanged()) {
                throw Cause.CHANGED.at(entry.path().display()).failure("has changed while it was read");
            }
            taker.onRead(listed, done);
        }
    }

    private void pass(CheckedEntry unreadable, ReadBuffer buffer) throws InterruptedException {
        add(unreadable, buffer);
        taker.onRead(unreadable, 0);
    }

    private long read(SourceFile file, FileEntry entry, Piece piece, ReadBuffer buffer) throws InterruptedException {
        long length = piece.lengthIn(entry.sizeBytes());
        for (long done = 0; done < length; ) {
            if (filled == MOST_BYTES) {
                flush(buffer);
            }
            int step = (int) Math.min(MOST_BYTES - filled, length - done);
            long from = piece.offset() + done;
            pace.accept(step);
            int read = budget.inTurn(() -> file.read(buffer.address() + filled, step, from));
            if (read < step) {
                throw Cause.CHANGED.at(entry.path().display()).failure("has become shorter while it was read");
            }
            filled += step;
            done += step;
        }
        return length;
    }

    private void add(CheckedEntry entry, ReadBuffer buffer) throws InterruptedException {
        entries.add(entry);
        entriesBytes += EntryPage.bytesOf(entry);
        if (EntryPage.isFull(entries.size(), entriesBytes)) {
            flush(buffer);
        }
    }

    private void flush(ReadBuffer buffer) throws InterruptedException {
        if (!entries.isEmpty()) {
            taker.onEntries(List.copyOf(entries));
            entries.clear();
            entriesBytes = 0;
        }
        if (filled > 0) {
            byte[] bytes = new byte[filled];
            buffer.bytes().get(0, bytes);
            taker.onData(bytes);
            filled = 0;
        }
    }
}
