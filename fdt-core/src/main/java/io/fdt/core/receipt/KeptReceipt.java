package io.fdt.core.receipt;

import io.fdt.core.basic.NewFile;
import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Resource;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A receipt that a server writes for a client, and keeps until the client has fetched it: in a temporary file without a
 * name, which a killed server does not leave behind, at the expense of the client's budget. A copy that is tried again
 * writes it anew. Thread-safe; one thread writes it, and nobody reads it meanwhile.
 */
public final class KeptReceipt implements AutoCloseable {
    private static final int CHARGED_BYTES = 64 << 10;

    private final Budget budget;
    private final BooleanSupplier room;
    // Guarded by this.
    private @Nullable RandomAccessFile file;
    private long chargedBytes;
    private long lengthBytes;
    private boolean complete;
    private boolean closed;
    private int readers;

    /**
     * @param budget charged with the file
     * @param room gives up something else of the budget, other receipts too; returns false if there is nothing
     */
    public KeptReceipt(Budget budget, BooleanSupplier room) {
        this.budget = budget;
        this.room = room;
    }

    /** Empties it. What is written to the stream, which need not be closed, is the receipt. */
    OutputStream begin() throws IOException {
        while (!tryBegin()) {
            makeRoom(Resource.DESCRIPTORS);
        }
        return new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                append(bytes, offset, length);
            }
        };
    }

    /** Returns false if the budget has no room for the file. */
    private synchronized boolean tryBegin() throws IOException {
        requireOpen();
        complete = false;
        lengthBytes = 0;
        RandomAccessFile opened = file;
        if (opened == null) {
            if (!budget.tryTake(Resource.DESCRIPTORS, 1)) {
                return false;
            }
            try {
                opened = NewFile.withoutName("fdt-receipt");
            } catch (IOException failure) {
                budget.give(Resource.DESCRIPTORS, 1);
                throw failure;
            }
            file = opened;
        }
        opened.setLength(0);
        return true;
    }

    private void requireOpen() throws IOException {
        if (closed) {
            throw new IOException("it is closed");
        }
    }

    private void append(byte[] bytes, int offset, int length) throws IOException {
        while (!tryAppend(bytes, offset, length)) {
            makeRoom(Resource.DISK);
        }
    }

    /** Returns false if the budget has no room for it. */
    private synchronized boolean tryAppend(byte[] bytes, int offset, int length) throws IOException {
        requireOpen();
        RandomAccessFile opened = file;
        if (opened == null) {
            throw new IOException("it has not begun");
        }
        while (lengthBytes + length > chargedBytes) {
            if (!budget.tryTake(Resource.DISK, CHARGED_BYTES)) {
                return false;
            }
            chargedBytes += CHARGED_BYTES;
        }
        opened.seek(lengthBytes);
        opened.write(bytes, offset, length);
        lengthBytes += length;
        return true;
    }

    /** Without a lock: others that give way are closed, and they may be receipts. */
    private void makeRoom(Resource resource) {
        if (!room.getAsBoolean()) {
            throw Budget.usedUp(resource);
        }
    }

    /** It can be fetched from now on. */
    synchronized void complete() {
        complete = true;
    }

    /** The length of a complete receipt; 0 for one that is not. */
    public synchronized long lengthBytes() {
        return complete ? lengthBytes : 0;
    }

    /** Until {@link #endRead}, it gives way to no other. */
    public synchronized void beginRead() {
        readers++;
    }

    public synchronized void endRead() {
        readers--;
    }

    /** Whether closing it makes room, and nobody reads it. */
    public synchronized boolean givesWay() {
        return file != null && readers == 0;
    }

    /** Returns a part of a complete receipt, which is not empty. @throws TransferException SOURCE, if it is gone */
    public synchronized byte[] part(long offset, int maxBytes) {
        RandomAccessFile opened = file;
        try {
            if (opened == null || offset >= lengthBytes()) {
                throw new IOException("this server does not keep it any longer");
            }
            ByteBuffer part = ByteBuffer.allocate((int) Math.min(maxBytes, lengthBytes - offset));
            opened.seek(offset);
            opened.readFully(part.array());
            return part.array();
        } catch (IOException e) {
            throw Cause.SOURCE.failure("cannot read the receipt: " + TransferException.reason(e), e);
        }
    }

    @Override
    public synchronized void close() {
        RandomAccessFile opened = file;
        file = null;
        closed = true;
        complete = false;
        if (opened == null) {
            return;
        }
        try {
            opened.close();
        } catch (IOException e) {
            // It has no name, so it is gone anyway.
            lengthBytes = 0;
        }
        budget.give(Resource.DISK, chargedBytes);
        budget.give(Resource.DESCRIPTORS, 1);
        chargedBytes = 0;
    }
}
