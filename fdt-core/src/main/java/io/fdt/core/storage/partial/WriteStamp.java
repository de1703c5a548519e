package io.fdt.core.storage.partial;

import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.FileStatus;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * Shows the next session whether anyone else has changed a partial since its chunks were journalled. It is in the
 * journal's first page, which is mapped, so that writers of the partial can store the time without a system call, and
 * so that the kernel keeps the last stamp of a process that is killed. It is compared with the time of the last change
 * of the inode (ctime), which, unlike the modification time, cannot be set back. Big-endian, 64 bytes:
 *
 * <pre>
 * last write 8 (milliseconds 48 bits, check 16 bits; zero: none since the partial was at rest),
 * boot id 16, change time at rest: s 8, ns 4, CRC32C of the journal's number and the 28 bytes before 4, zeros 24
 * </pre>
 *
 * Several threads may call {@link #onWrite} at once; all other methods must be called when no thread writes. Must not
 * be used after close.
 */
final class WriteStamp implements AutoCloseable {
    static final int LENGTH_BYTES = 64;

    private static final int BOOT_ID = 8;
    private static final int REST_SECONDS = 24;
    private static final int REST_NANOS = 32;
    private static final int CRC = 36;
    private static final long NO_WRITE = 0;

    /**
     * A file gets the time of the kernel's last tick, which is never later than now, and with many lanes a stamp is set
     * every fraction of a millisecond. A later change than this is by another program, or by a delayed writer of ours.
     * A program that waits for this process to end cannot be as quick as this.
     */
    private static final long LATER_MAX_MS = 5;
    /**
     * A write gets its time at its start and is stamped at its end, too. In between, the kernel delays a writer that is
     * faster than the disk by at most 200 ms. A tick may take 10 ms (CONFIG_HZ=100) and come one tick late.
     */
    private static final long EARLIER_MAX_MS = 250;

    private static final int CHECK_BITS = 16;
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private final Disk disk;
    private final ByteBuffer page;
    private final int index;
    private final long number;
    /** Threads may overwrite each other's value; a stamp that is too old only makes the next session hash more. */
    private long lastMs;

    /**
     * @param page mapped from the journal
     * @param index of the stamp in the page
     * @param number of the journal, without which no stamp is valid
     */
    WriteStamp(Disk disk, ByteBuffer page, int index, long number) {
        this.disk = disk;
        this.page = page;
        this.index = index;
        this.number = number;
    }

    /** Must be called before and after every change of the partial or its metadata. */
    void onWrite() {
        // The wall clock, because the kernel uses it for the times of files.
        long nowMs = System.currentTimeMillis();
        if (nowMs > lastMs) {
            lastMs = nowMs;
            page.putLong(index, word(nowMs, number));
        }
    }

    /** Stamps the partial with this status, while no thread writes to it: from now on every change is detected. */
    void rest(FileStatus partial) {
        UUID boot = disk.bootId();
        page.putLong(index + BOOT_ID, boot.getMostSignificantBits());
        page.putLong(index + BOOT_ID + 8, boot.getLeastSignificantBits());
        page.putLong(index + REST_SECONDS, partial.changedSeconds);
        page.putInt(index + REST_NANOS, partial.changedNanos);
        page.putInt(index + CRC, checksum(page, index, number));
        page.putLong(index, NO_WRITE);
        lastMs = 0;
    }

    /**
     * Like {@link #rest}, but only if the last change was ours: a session may hold a partial for a long time without
     * writing.
     */
    void restIfOurs(FileStatus partial) {
        if (isOurs(partial)) {
            rest(partial);
        } else {
            forget();
        }
    }

    /** Whether the last change of the partial was ours. */
    boolean isOurs(FileStatus partial) {
        return vouches(page, index, number, disk.bootId(), partial);
    }

    /** Invalidates the stamp, because the last writer is unknown: the next session must hash the data. */
    void forget() {
        page.putInt(index + CRC, ~checksum(page, index, number));
    }

    /** Whether the stamp at the index shows that the last change of the partial was ours. */
    static boolean vouches(ByteBuffer bytes, int index, long number, UUID bootId, FileStatus partial) {
        if (bytes.getInt(index + CRC) != checksum(bytes, index, number)
                || bytes.getLong(index + BOOT_ID) != bootId.getMostSignificantBits()
                || bytes.getLong(index + BOOT_ID + 8) != bootId.getLeastSignificantBits()) {
            return false;
        }
        long word = bytes.getLong(index);
        if (word == NO_WRITE) {
            return bytes.getLong(index + REST_SECONDS) == partial.changedSeconds
                    && bytes.getInt(index + REST_NANOS) == partial.changedNanos;
        }
        long stampMs = word >>> CHECK_BITS;
        long laterMs = partial.changedSeconds * 1000 + partial.changedNanos / 1_000_000 - stampMs;
        return word == word(stampMs, number) && -EARLIER_MAX_MS <= laterMs && laterMs <= LATER_MAX_MS;
    }

    /** The time is one store, so that it cannot be torn; the check detects a damaged value. */
    private static long word(long ms, long number) {
        return (ms << CHECK_BITS) | (((ms ^ number) * SPREAD) >>> (Long.SIZE - CHECK_BITS));
    }

    private static int checksum(ByteBuffer bytes, int index, long number) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, number));
        crc.update(bytes.duplicate().limit(index + CRC).position(index + BOOT_ID));
        return (int) crc.getValue();
    }

    @Override
    public void close() {
        disk.unmap(page);
    }
}
