package io.fdt.core.storage.partial;

import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.FileStatus;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * Tells the next session whether anybody else has changed a partial since its chunks were journalled. It stands in the
 * journal's first page, which is mapped, so that whoever writes to the partial can say when without a system call, and
 * so that the kernel keeps the last word of a process that is killed. What is compared is the time of the last change
 * of the inode (ctime): that of the content can be set back, this one cannot. Big-endian, 64 bytes:
 *
 * <pre>
 * last write 8 (milliseconds 48 bits, check 16 bits; zero: none since the partial was at rest),
 * boot id 16, change time at rest: s 8, ns 4, CRC32C of the journal's number and the 28 bytes before 4, zeros 24
 * </pre>
 *
 * {@link #onWrite} may be called by several threads at once; everything else when none of them writes. Not to be
 * used after the close.
 */
final class WriteStamp implements AutoCloseable {
    static final int LENGTH_BYTES = 64;

    private static final int BOOT_ID = 8;
    private static final int REST_SECONDS = 24;
    private static final int REST_NANOS = 32;
    private static final int CRC = 36;
    private static final long NO_WRITE = 0;

    /**
     * A file gets the time of the kernel's last tick, which is never later than now, and with many lanes somebody
     * stamps every fraction of a millisecond. A change later than this is by another program, or by a delayed writer of
     * ours. Nobody who waits for our end is as quick as this.
     */
    private static final long LATER_MAX_MS = 5;
    /**
     * A write gets its time at its beginning and is stamped at its end, too; between, the kernel holds up a writer that
     * is faster than the disk for 200 ms at most, and a tick may be 10 ms (CONFIG_HZ=100) and come one tick late.
     */
    private static final long EARLIER_MAX_MS = 250;

    private static final int CHECK_BITS = 16;
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private final Disk disk;
    private final ByteBuffer page;
    private final int index;
    private final long number;
    /** Threads may overwrite each other's; a stamp that is too old only costs the next session some hashing. */
    private long lastMs;

    /**
     * @param page mapped from the journal
     * @param index of the stamp in it
     * @param number the journal's, without which no stamp is valid
     */
    WriteStamp(Disk disk, ByteBuffer page, int index, long number) {
        this.disk = disk;
        this.page = page;
        this.index = index;
        this.number = number;
    }

    /** To be called before and after everything that changes the partial or its metadata. */
    void onWrite() {
        // The wall clock, since the kernel stamps files with it.
        long nowMs = System.currentTimeMillis();
        if (nowMs > lastMs) {
            lastMs = nowMs;
            page.putLong(index, word(nowMs, number));
        }
    }

    /** The partial has this status, and nobody is writing to it: from now on every change is noticed. */
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

    /** As {@link #rest}, if the last change was ours: a session may hold a partial for long without writing. */
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

    /** Nothing is known of who wrote: the next session has to look. */
    void forget() {
        page.putInt(index + CRC, ~checksum(page, index, number));
    }

    /** Whether the stamp at the index says that the last change of the partial was ours. */
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

    /** One store, so that no kill can tear it; the check is all that a damaged one could be told by. */
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
