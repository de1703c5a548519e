package io.fdt.core.objects;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The durable sequence of a store's writes. A write is appended to memory; who then waits for it either flushes all that was
 * appended up to then, by one write and one flush of the disk for the whole group, or waits for whoever is flushing, in which
 * time the next group grows. So there is no thread of its own and no delay of a single writer, and the more writers wait, the
 * more share a flush.
 *
 * <p>Big-endian:
 *
 * <pre>
 * header, 64 bytes: magic 8, version 4, zeros 4, number 8, zeros, CRC32C 4
 * record: CRC32C 4 of all that follows, key length 4, value length 4, zeros 4, number 8, sequence 8, version 8, key, value
 * </pre>
 *
 * The number is random and that of this log, sequences count from 0: nothing torn, flipped, foreign or left over is ever taken
 * for a record. The log ends before the first record that does not hold. After a killed process or a power cut that is one
 * that nobody was told to be durable; damage by the device looks the same, and is not told apart.
 *
 * <p>It is never compacted and has a bound. A disk that failed once is never written again, for nobody knows what it holds
 * then. Thread-safe but for {@link #replay}, which comes first.
 */
public final class ObjectLog implements AutoCloseable {
    /** The longest value. */
    public static final int MAX_VALUE_BYTES = 4 << 20;

    /** What a log holds outside the heap: two groups, of which one is filled while the other is written. */
    public static final long MEMORY_BYTES = 2L * (8 << 20);

    private static final int GROUP_BYTES = (int) (MEMORY_BYTES / 2);
    private static final long MAGIC = 0x4644544F424A4C0AL;
    private static final int VERSION = 1;
    private static final int HEADER_BYTES = 64;
    private static final int CRC_BYTES = 4;
    private static final int RECORD_BYTES = 40;
    private static final long PATIENCE_MS = 60_000;

    private final LogDevice device;
    private final long mostBytes;
    private final long number;
    private final CRC32C crc = new CRC32C();

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

    /** One write, in the order of the log. */
    interface Visitor {
        /** Buffers are to be left as they are, and are valid until it returns. */
        void visit(ByteBuffer key, ByteBuffer value, long version);
    }

    /**
     * The log in this directory, which is made if need be.
     *
     * @param keep what is there; otherwise the log begins anew
     * @param mostBytes that it may grow to
     */
    public static ObjectLog open(Path directory, boolean keep, long mostBytes) {
        FileDevice device = FileDevice.open(directory);
        try {
            return new ObjectLog(device, keep, mostBytes, GROUP_BYTES);
        } catch (IOException e) {
            closeAfter(device, e);
            throw new TransferException(FailureKind.TARGET, "cannot open the log of objects: " + e, e);
        } catch (RuntimeException e) {
            closeAfter(device, e);
            throw e;
        }
    }

    private static void closeAfter(LogDevice device, Exception failure) {
        try {
            device.close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /** {@code groupBytes} are more than the longest record. */
    ObjectLog(LogDevice device, boolean keep, long mostBytes, int groupBytes) throws IOException {
        this.device = device;
        this.filling = ByteBuffer.allocateDirect(groupBytes);
        this.spare = ByteBuffer.allocateDirect(groupBytes);
        this.mostBytes = mostBytes;
        // A log without a whole header never had a durable record.
        this.number = keep && device.lengthBytes() >= HEADER_BYTES ? readHeader() : writeHeader();
        this.appendedBytes = HEADER_BYTES;
        this.durableBytes = HEADER_BYTES;
    }

    private long readHeader() throws IOException {
        ByteBuffer header = ByteBuffer.allocateDirect(HEADER_BYTES);
        device.read(header, 0);
        if (header.hasRemaining()
                || header.getLong(0) != MAGIC
                || header.getInt(HEADER_BYTES - CRC_BYTES) != checksum(header, 0, HEADER_BYTES - CRC_BYTES)) {
            throw new TransferException(
                    FailureKind.INTEGRITY, "the log of objects has no header that holds; run the test without --keep");
        }
        if (header.getInt(8) != VERSION) {
            throw new TransferException(
                    FailureKind.VERSION,
                    "the log of objects has format " + header.getInt(8) + ", this release writes " + VERSION
                            + "; run the test without --keep");
        }
        return header.getLong(16);
    }

    private long writeHeader() throws IOException {
        long random = new SecureRandom().nextLong();
        ByteBuffer header = ByteBuffer.allocateDirect(HEADER_BYTES);
        header.putLong(0, MAGIC).putInt(8, VERSION).putLong(16, random);
        header.putInt(HEADER_BYTES - CRC_BYTES, checksum(header, 0, HEADER_BYTES - CRC_BYTES));
        device.truncate(0);
        device.write(header, 0);
        device.flush();
        return random;
    }

    /** Shows every write that the log holds and cuts off what does not hold; once, before anything is appended. */
    synchronized void replay(Visitor visitor) {
        try {
            long length = device.lengthBytes();
            long end = HEADER_BYTES;
            ByteBuffer window = filling;
            while (end < length) {
                window.clear();
                device.read(window, end);
                window.flip();
                int whole = replayWindow(window, visitor);
                if (whole == 0) {
                    break;
                }
                end += whole;
            }
            window.clear();
            if (end < length) {
                device.truncate(end);
                device.flush();
            }
            appendedBytes = end;
            durableBytes = end;
        } catch (IOException e) {
            throw new TransferException(FailureKind.TARGET, "cannot read the log of objects: " + e, e);
        }
    }

    /** How many bytes of the window are whole records. */
    private int replayWindow(ByteBuffer window, Visitor visitor) {
        int at = 0;
        ByteBuffer key = window.duplicate();
        ByteBuffer value = window.duplicate();
        while (true) {
            int length = recordAt(window, at);
            if (length == 0) {
                return at;
            }
            int keyIndex = at + RECORD_BYTES;
            int valueIndex = keyIndex + window.getInt(at + 4);
            key.limit(valueIndex).position(keyIndex);
            value.limit(at + length).position(valueIndex);
            visitor.visit(key, value, window.getLong(at + 32));
            records++;
            at += length;
        }
    }

    /** The length of the record there; 0 where none begins that is whole and holds. */
    private int recordAt(ByteBuffer window, int at) {
        int left = window.limit() - at;
        if (left < RECORD_BYTES) {
            return 0;
        }
        int keyLength = window.getInt(at + 4);
        int valueLength = window.getInt(at + 8);
        if (keyLength < 1
                || keyLength > ObjectKey.MAX_BYTES
                || valueLength < 0
                || valueLength > MAX_VALUE_BYTES
                || left < RECORD_BYTES + keyLength + valueLength
                || window.getLong(at + 16) != number
                || window.getLong(at + 24) != records
                || window.getLong(at + 32) < 0) {
            return 0;
        }
        int length = RECORD_BYTES + keyLength + valueLength;
        return window.getInt(at) == checksum(window, at + CRC_BYTES, length - CRC_BYTES) ? length : 0;
    }

    private int checksum(ByteBuffer bytes, int index, int length) {
        int position = bytes.position();
        int limit = bytes.limit();
        crc.reset();
        crc.update(bytes.limit(index + length).position(index));
        bytes.limit(limit).position(position);
        return (int) crc.getValue();
    }

    /** Appends a write; the ticket for {@link #await}. Waits for the disk only when a group is full. */
    long append(ByteBuffer key, ByteBuffer value, long version) {
        int length = RECORD_BYTES + key.remaining() + value.remaining();
        while (true) {
            synchronized (this) {
                throwIfUnusable();
                if (length > filling.capacity()) {
                    throw new IllegalArgumentException("a record of " + length + " bytes does not fit into a group");
                }
                if (length > mostBytes - appendedBytes) {
                    throw new TransferException(
                            FailureKind.REFUSED,
                            "the log of objects has reached its bound of " + mostBytes
                                    + " bytes; measure a shorter time or smaller objects, or use --nettest-log-size there");
                }
                if (length <= filling.remaining()) {
                    fill(key, value, version, length);
                    return appendedBytes;
                }
            }
            flushOrWait();
        }
    }

    private void fill(ByteBuffer key, ByteBuffer value, long version, int length) {
        int at = filling.position();
        filling.putInt(0)
                .putInt(key.remaining())
                .putInt(value.remaining())
                .putInt(0)
                .putLong(number)
                .putLong(records)
                .putLong(version);
        filling.put(at + RECORD_BYTES, key, key.position(), key.remaining());
        filling.put(at + RECORD_BYTES + key.remaining(), value, value.position(), value.remaining());
        filling.position(at + length);
        filling.putInt(at, checksum(filling, at + CRC_BYTES, length - CRC_BYTES));
        records++;
        appendedBytes += length;
    }

    /** Waits until what was appended before this ticket was given is durable. */
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

    /** Flushes what was appended up to now; if somebody is flushing already, waits until that is done. */
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
            failure = new TransferException(FailureKind.TARGET, "cannot write the log of objects: " + e, e);
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

    /** Holds the lock. */
    private void awaitFlush() {
        long began = System.nanoTime();
        long seen = groups;
        while (flushing && groups == seen) {
            long left = PATIENCE_MS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            if (left <= 0) {
                throw new TransferException(
                        FailureKind.TARGET, "the disk has not flushed the log of objects in " + PATIENCE_MS + " ms");
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new TransferException(FailureKind.INTERRUPTED, "interrupted", e);
            }
        }
    }

    private void throwIfUnusable() {
        TransferException why = broken;
        if (why != null) {
            throw new TransferException(why.kind(), String.valueOf(why.getMessage()), why);
        }
        if (closed) {
            throw new TransferException(FailureKind.CONNECTION_LOST, "the log of objects is closed");
        }
    }

    /** Writes it holds, durable or not. */
    public synchronized long records() {
        return records;
    }

    /** How often the disk was flushed, each time for all that had been appended. */
    public synchronized long groups() {
        return groups;
    }

    /** Whoever is flushing ends that first. What nobody waited for may be lost. */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            if (flushing) {
                awaitFlush();
            }
            closed = true;
        }
        try {
            device.close();
        } catch (IOException e) {
            throw new TransferException(FailureKind.TARGET, "cannot close the log of objects: " + e, e);
        }
    }
}
