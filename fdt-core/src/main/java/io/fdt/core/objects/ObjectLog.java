package io.fdt.core.objects;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.framedlog.Frame;
import io.fdt.core.framedlog.FrameReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The durable sequence of a store's writes. A write is appended to memory. A thread that waits for it either flushes
 * everything appended so far, with one write and one disk flush for the whole group, or waits for the thread that is
 * flushing, while the next group grows. So it needs no thread of its own and does not delay a single writer, and more
 * waiting writers share each flush.
 *
 * <p>Big-endian:
 *
 * <pre>
 * header, 64 bytes: magic 8, version 4, zeros 4, number 8, zeros, CRC32C 4
 * then {@link Frame}s, whose bodies are: key length 4, number 8, sequence 8, version 8, key, value
 * </pre>
 *
 * The number is random and specific to this log, and sequences count from 0, so nothing torn, damaged, foreign or left
 * over is accepted as a record. The log ends before the first invalid record. After a killed process or a power
 * failure, that record was never reported as durable; damage by the device looks the same and cannot be distinguished.
 *
 * <p>It is never compacted and has a maximum size. A disk that failed once is never written again, because its content
 * is unknown then. Thread-safe, except for {@link #replay}, which comes first.
 */
public final class ObjectLog implements AutoCloseable {
    /** The longest value. */
    public static final int MAX_VALUE_BYTES = 4 << 20;

    /** The memory of a log outside the heap: two groups, one of which is filled while the other is written. */
    public static final long MEMORY_BYTES = 2L * (8 << 20);

    private static final int GROUP_BYTES = (int) (MEMORY_BYTES / 2);
    private static final long MAGIC = 0x4644544F424A4C0AL;
    private static final int VERSION = 1;
    private static final int HEADER_BYTES = 64;
    private static final int CRC_BYTES = 4;
    private static final int FIELDS_BYTES = 28;
    private static final int RECORD_BYTES = Frame.OVERHEAD_BYTES + FIELDS_BYTES;
    private static final int MAX_BODY_BYTES = FIELDS_BYTES + ObjectKey.MAX_BYTES + MAX_VALUE_BYTES;
    private static final long PATIENCE_MS = 60_000;

    private final LogDevice device;
    private final long mostBytes;
    private final long number;

    // Guarded by this.
    private ByteBuffer filling;
    private ByteBuffer spare;
    private boolean flushing;
    private long appendedBytes;
    private long durableBytes;
    private long records;
    private long groups;
    private @Nullable TransferException broken;
    private boolean closed;

    /** Receives the writes in the order of the log. */
    interface Visitor {
        /** Must not change the buffers, which are valid until it returns. */
        void visit(ByteBuffer key, ByteBuffer value, long version);
    }

    /**
     * Opens the log in this directory, which is created if necessary; empties it unless {@code keep}; limits it to this
     * many bytes.
     */
    public static ObjectLog open(Path directory, boolean keep, long mostBytes) {
        FileDevice device = FileDevice.open(directory);
        try {
            return new ObjectLog(device, keep, mostBytes, GROUP_BYTES);
        } catch (IOException e) {
            closeAfter(device, e);
            throw TransferException.causeOfWriting(e).failure("cannot open the log of objects: " + e, e);
        } catch (RuntimeException | Error e) {
            closeAfter(device, e);
            throw e;
        }
    }

    private static void closeAfter(LogDevice device, Throwable failure) {
        try {
            device.close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /** {@code groupBytes} must exceed the longest record. */
    ObjectLog(LogDevice device, boolean keep, long mostBytes, int groupBytes) throws IOException {
        this.device = device;
        this.filling = ByteBuffer.allocateDirect(groupBytes);
        this.spare = ByteBuffer.allocateDirect(groupBytes);
        this.mostBytes = mostBytes;
        // A log without a complete header never had a durable record.
        this.number = keep && device.lengthBytes() >= HEADER_BYTES ? readHeader() : writeHeader();
        this.appendedBytes = HEADER_BYTES;
        this.durableBytes = HEADER_BYTES;
    }

    private long readHeader() throws IOException {
        ByteBuffer header = ByteBuffer.allocateDirect(HEADER_BYTES);
        device.read(header, 0);
        if (header.hasRemaining()
                || header.getLong(0) != MAGIC
                || header.getInt(HEADER_BYTES - CRC_BYTES) != Frame.checksum(header, 0, HEADER_BYTES - CRC_BYTES)) {
            throw Cause.INTEGRITY
                    .advise("run the test without --keep")
                    .failure("the header of the log of objects is damaged");
        }
        if (header.getInt(8) != VERSION) {
            throw Cause.VERSION
                    .advise("run the test without --keep")
                    .failure("the log of objects has format " + header.getInt(8) + ", this release writes " + VERSION);
        }
        return header.getLong(16);
    }

    private long writeHeader() throws IOException {
        long random = new SecureRandom().nextLong();
        ByteBuffer header = ByteBuffer.allocateDirect(HEADER_BYTES);
        header.putLong(0, MAGIC).putInt(8, VERSION).putLong(16, random);
        header.putInt(HEADER_BYTES - CRC_BYTES, Frame.checksum(header, 0, HEADER_BYTES - CRC_BYTES));
        device.truncate(0);
        device.write(header, 0);
        device.flush();
        return random;
    }

    /**
     * Visits every write in the log and truncates it after the last valid one; call it once, before anything is
     * appended.
     */
    synchronized void replay(Visitor visitor) {
        try {
            FrameReader frames = new FrameReader(device::read, filling, HEADER_BYTES, MAX_BODY_BYTES);
            long end = HEADER_BYTES;
            ByteBuffer body = frames.next();
            while (body != null && isNext(body)) {
                show(body, visitor);
                records++;
                end = frames.position();
                body = frames.next();
            }
            filling.clear();
            if (end < device.lengthBytes()) {
                device.truncate(end);
                device.flush();
            }
            appendedBytes = end;
            durableBytes = end;
        } catch (IOException e) {
            throw TransferException.causeOfWriting(e).failure("cannot read the log of objects: " + e, e);
        }
    }

    /** Whether this is the next record of this log. */
    private boolean isNext(ByteBuffer body) {
        if (body.remaining() < FIELDS_BYTES) {
            return false;
        }
        int keyLength = body.getInt(0);
        int valueLength = body.remaining() - FIELDS_BYTES - keyLength;
        return keyLength >= 1
                && keyLength <= ObjectKey.MAX_BYTES
                && valueLength >= 0
                && valueLength <= MAX_VALUE_BYTES
                && body.getLong(4) == number
                && body.getLong(12) == records
                && body.getLong(20) >= 0;
    }

    private static void show(ByteBuffer body, Visitor visitor) {
        int keyLength = body.getInt(0);
        int valueIndex = FIELDS_BYTES + keyLength;
        visitor.visit(
                body.slice(FIELDS_BYTES, keyLength),
                body.slice(valueIndex, body.remaining() - valueIndex),
                body.getLong(20));
    }

    /** Appends a write, and returns the ticket for {@link #await}. Waits for the disk only if a group is full. */
    long append(ByteBuffer key, ByteBuffer value, long version) {
        int length = RECORD_BYTES + key.remaining() + value.remaining();
        while (true) {
            synchronized (this) {
                throwIfUnusable();
                if (length > filling.capacity()) {
                    throw new IllegalArgumentException("a record of " + length + " bytes does not fit in a group");
                }
                if (length > mostBytes - appendedBytes) {
                    throw Cause.LIMIT
                            .advise(
                                    "measure a shorter time or smaller objects, or raise --nettest-log-size on the server")
                            .failure("the log of objects has reached its limit of " + mostBytes + " bytes");
                }
                if (length <= filling.remaining()) {
                    fill(key, value, version);
                    appendedBytes += length;
                    return appendedBytes;
                }
            }
            flushOrWait();
        }
    }

    private void fill(ByteBuffer key, ByteBuffer value, long version) {
        int start = Frame.begin(filling);
        filling.putInt(key.remaining()).putLong(number).putLong(records).putLong(version);
        filling.put(key.duplicate()).put(value.duplicate());
        Frame.end(filling, start);
        records++;
    }

    /** Waits until what was appended before this ticket was issued is durable. */
    void await(long ticket) {
        while (true) {
            synchronized (this) {
                throwIfUnusable();
                if (durableBytes >= ticket) {
                    return;
                }
            }
            flushOrWait();
        }
    }

    /** Flushes what was appended so far; if another thread is flushing, waits until that is done. */
    private void flushOrWait() {
        ByteBuffer group;
        long start;
        long end;
        synchronized (this) {
            if (flushing) {
                awaitFlush();
                return;
            }
            throwIfUnusable();
            flushing = true;
            group = filling;
            filling = spare;
            start = durableBytes;
            end = appendedBytes;
        }
        TransferException failure = null;
        try {
            device.write(group.flip(), start);
            device.flush();
        } catch (IOException | RuntimeException e) {
            failure = TransferException.causeOfWriting(e).failure("cannot write the log of objects: " + e, e);
        }
        synchronized (this) {
            spare = group.clear();
            flushing = false;
            groups++;
            if (failure == null) {
                durableBytes = end;
            } else {
                broken = failure;
            }
            notifyAll();
        }
    }

    private void awaitFlush() {
        long began = System.nanoTime();
        long seen = groups;
        while (flushing && groups == seen) {
            long left = PATIENCE_MS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            if (left <= 0) {
                throw Cause.IO_ERROR.failure("the disk has not flushed the log of objects in " + PATIENCE_MS + " ms");
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw Cause.INTERRUPTED.failure("interrupted", e);
            }
        }
    }

    private void throwIfUnusable() {
        TransferException why = broken;
        if (why != null) {
            throw new TransferException(why.failure(), why);
        }
        if (closed) {
            throw Cause.CONNECTION_LOST.failure("the log of objects is closed");
        }
    }

    /** The number of writes in the log, durable or not. */
    public synchronized long records() {
        return records;
    }

    /** The number of disk flushes, each of which covered everything appended by then. */
    public synchronized long groups() {
        return groups;
    }

    /** A flush in progress is completed first, if it ends in time. Writes that no thread waited for may be lost. */
    @Override
    public void close() {
        try (device) {
            synchronized (this) {
                try {
                    if (flushing) {
                        awaitFlush();
                    }
                } finally {
                    closed = true;
                }
            }
        } catch (IOException e) {
            throw TransferException.causeOfWriting(e).failure("cannot close the log of objects: " + e, e);
        }
    }
}
