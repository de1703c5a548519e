package io.fdt.core.receipt;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.account.Account;
import io.fdt.core.account.Resource;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A receipt that a server writes for a client, and keeps until the client has fetched it: in a temporary file without a
 * name, which a killed server does not leave behind, at the expense of the client's account. A copy that is tried again
 * writes it anew. Thread-safe; nobody reads it while it is written.
 */
public final class KeptReceipt implements AutoCloseable {
    private static final int CHARGED_BYTES = 64 << 10;

    private final Account account;
    private final BooleanSupplier room;
    // Guarded by this.
    private @Nullable RandomAccessFile file;
    private long chargedBytes;
    private long lengthBytes;
    private boolean complete;
    private boolean closed;

    /** @param account charged with the file */
    public KeptReceipt(Account account) {
        this(account, () -> false);
    }

    /** @param room gives up something else of the account; returns false if there is nothing */
    public KeptReceipt(Account account, BooleanSupplier room) {
        this.account = account;
        this.room = room;
    }

    /** Empties it. What is written to the stream, which need not be closed, is the receipt. */
    synchronized OutputStream begin() throws IOException {
        if (closed) {
            throw new IOException("it is closed");
        }
        complete = false;
        lengthBytes = 0;
        RandomAccessFile opened = file;
        if (opened == null) {
            take(Resource.DESCRIPTORS, 1);
            opened = withoutName();
            file = opened;
        }
        opened.setLength(0);
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

    private static RandomAccessFile withoutName() throws IOException {
        Path name = Files.createTempFile("fdt-receipt", null);
        try {
            return new RandomAccessFile(name.toFile(), "rw");
        } finally {
            Files.delete(name);
        }
    }

    private synchronized void append(byte[] bytes, int offset, int length) throws IOException {
        RandomAccessFile opened = file;
        if (opened == null) {
            throw new IOException("it is closed");
        }
        while (lengthBytes + length > chargedBytes) {
            take(Resource.DISK, CHARGED_BYTES);
            chargedBytes += CHARGED_BYTES;
        }
        opened.seek(lengthBytes);
        opened.write(bytes, offset, length);
        lengthBytes += length;
    }

    private void take(Resource resource, long amount) {
        while (!account.tryTake(resource, amount)) {
            if (!room.getAsBoolean()) {
                throw Account.usedUp(resource);
            }
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
            throw FailureKind.SOURCE.failure("cannot read the receipt: " + TransferException.reason(e), e);
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
        account.give(Resource.DISK, chargedBytes);
        account.give(Resource.DESCRIPTORS, 1);
        chargedBytes = 0;
    }
}
