package io.fdt.core.storage.partial;

import io.fdt.core.digest.Checksums;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The record of durable chunks of a partial. The header identifies the source, its state, and the file for which the
 * records hold. Every record has the journal's random number and its own checksum, so that torn, corrupted, foreign or
 * stale data is never accepted as a record. Doubtful records are dropped, with a reason. A {@link WriteStamp} shows
 * whether the partial still matches the records. Big-endian:
 *
 * <pre>
 * header, 128 bytes: magic 8, version 4, checksums 2, digest kind 2, size 8, modified s 8, modified ns 4, entry kind 4,
 *                    hash of the target's name 16, inode of the partial 8, number 8, zeros, CRC32C 4
 * stamp,   64 bytes: a {@link WriteStamp}, or nothing
 * record,  72 bytes: number 8, offset 8, length 8, digest and checksums 44, CRC32C 4
 * </pre>
 *
 * The only writer holds the lock of the partial and makes one call at a time.
 */
final class Journal implements AutoCloseable {
    static final int HEADER_BYTES = 128;
    static final int RECORDS_INDEX = HEADER_BYTES + WriteStamp.LENGTH_BYTES;
    static final int RECORD_BYTES = 72;
    private static final long MAGIC = 0x4644544A524E4C0AL;
    private static final int VERSION = 1;
    private static final int CRC_BYTES = 4;
    private static final int BATCH_RECORDS = 1024;
    private static final Random NUMBERS = new java.security.SecureRandom();

    private static final int CLOSED = -1;

    private final Disk disk;
    private int fd;
    private final RawPath path;
    private final long number;
    private final @Nullable WriteStamp stamp;
    private long lengthBytes;
    private boolean broken;

    /**
     * What a journal describes.
     *
     * @param partialBytes the size of the partial, of which the source may be a range
     */
    record Identity(FileEntry source, NodeHash hash, byte[] nameHash, long inode, long partialBytes) {
        /** For a file with its own partial. */
        Identity(FileEntry source, NodeHash hash, byte[] nameHash, long inode) {
            this(source, hash, nameHash, inode, source.sizeBytes());
        }
    }

    /**
     * The result of reading a journal.
     *
     * @param journal open for more records; null if the journal cannot be used
     * @param hash of the records, which may have other checksums than the session wants
     * @param records in order, without overlaps
     * @param untouched whether only fdt has changed the partial since they were written
     * @param doubt what was dropped and why; null if everything is valid
     */
    record Loaded(
            @Nullable Journal journal,
            NodeHash hash,
            List<ChunkRecord> records,
            boolean untouched,
            @Nullable String doubt) {
        static Loaded unusable(String why) {
            return new Loaded(null, DigestKind.NONE, List.of(), false, why);
        }
    }

    private Journal(Disk disk, int fd, RawPath path, long number, long lengthBytes) {
        this.disk = disk;
        this.fd = fd;
        this.path = path;
        this.number = number;
        this.lengthBytes = lengthBytes;
        ByteBuffer page = disk.map(fd, RECORDS_INDEX);
        this.stamp = page == null ? null : new WriteStamp(disk, page, HEADER_BYTES, number);
    }

    /** Creates an empty journal, and replaces an existing one. It becomes durable with its first records. */
    static Journal create(Disk disk, int dirFd, RawPath name, RawPath path, Identity identity) {
        int flags = Paths.O_RDWR | Paths.O_CREAT | Paths.O_EXCL | Paths.O_NOFOLLOW;
        int fd = disk.open(dirFd, name, flags, 0600);
        if (fd == -Errno.EEXIST) {
            disk.unlink(dirFd, name);
            fd = disk.open(dirFd, name, flags, 0600);
        }
        Errno.require(fd, FailureKind.TARGET, "make the journal", path);
        long number = NUMBERS.nextLong();
        try {
            byte[] start = Arrays.copyOf(header(identity, number), RECORDS_INDEX);
            writeAll(disk, fd, start, 0, path);
            return new Journal(disk, fd, path, number, RECORDS_INDEX);
        } catch (RuntimeException failure) {
            disk.close(fd);
            throw failure;
        }
    }

    /** Reads a journal; returns null if there is none. The partial is open and locked, and has this status. */
    static @Nullable Loaded load(
            Disk disk, int dirFd, RawPath name, RawPath path, Identity identity, FileStatus partial) {
        int fd = Errno.requireDescriptor(
                disk.open(dirFd, name, Paths.O_RDWR | Paths.O_NOFOLLOW | Paths.O_NONBLOCK, 0),
                FailureKind.TARGET,
                "open the journal",
                path);
        if (fd == -Errno.ENOENT) {
            return null;
        }
        if (fd < 0) {
            return Loaded.unusable("its journal cannot be opened: " + Libc.strerror(-fd));
        }
        FileStatus status = new FileStatus();
        if (FileMetadata.stat(fd, status) < 0 || !PartialOpener.isOurs(status)) {
            disk.close(fd);
            return Loaded.unusable("another user could have written its journal");
        }
        Loaded loaded = read(disk, fd, path, identity, partial);
        if (loaded.journal == null) {
            disk.close(fd);
        }
        return loaded;
    }

    private static Loaded read(Disk disk, int fd, RawPath path, Identity identity, FileStatus partial) {
        ByteBuffer header = ByteBuffer.allocateDirect(RECORDS_INDEX);
        if (fill(header, disk, fd, 0) < RECORDS_INDEX) {
            return Loaded.unusable("its journal is truncated");
        }
        String mismatch = mismatch(header, identity);
        if (mismatch != null) {
            return Loaded.unusable(mismatch);
        }
        long number = header.getLong(64);
        NodeHash hash = new Checksums(header.getShort(12)).beside(identity.hash.digest());
        List<ChunkRecord> records = new ArrayList<>();
        long position = RECORDS_INDEX;
        int damaged = 0;
        ByteBuffer batch = ByteBuffer.allocateDirect(BATCH_RECORDS * RECORD_BYTES);
        int count = fill(batch, disk, fd, position);
        while (count >= RECORD_BYTES) {
            int whole = count - count % RECORD_BYTES;
            for (int i = 0; i < whole; i += RECORD_BYTES) {
                ChunkRecord chunk = chunkAt(batch, i, number, identity.source.sizeBytes(), hash);
                if (chunk == null) {
                    damaged++;
                } else {
                    records.add(chunk);
                }
            }
            position += whole;
            count = fill(batch, disk, fd, position);
        }
        int contradicting = removeContradictions(records);
        String doubt = damaged + contradicting == 0 && count == 0
                ? null
                : "its journal has an incomplete end or damaged records and was discarded";
        if (!records.isEmpty() && records.get(records.size() - 1).end() > partial.sizeBytes) {
            return Loaded.unusable("its partial file is shorter than its journal records");
        }
        // The next record must be appended at a multiple of the record length, so remove a torn one.
        if (count != 0 && disk.truncate(fd, position) < 0) {
            return Loaded.unusable("its journal has an incomplete end that cannot be removed");
        }
        boolean untouched = partial.sizeBytes == identity.partialBytes
                && WriteStamp.vouches(header, HEADER_BYTES, number, disk.bootId(), partial);
        return new Loaded(new Journal(disk, fd, path, number, position), hash, records, untouched, doubt);
    }

    private static int fill(ByteBuffer buffer, Disk disk, int fd, long offset) {
        return Disk.readAll(disk, fd, Libc.addressOf(buffer), buffer.capacity(), offset);
    }

    /** Whether this is the header of a journal, of any version. */
    static boolean isHeader(ByteBuffer header) {
        return header.getLong(0) == MAGIC
                && header.getInt(HEADER_BYTES - CRC_BYTES) == checksum(header, 0, HEADER_BYTES);
    }

    private static @Nullable String mismatch(ByteBuffer header, Identity identity) {
        if (header.getLong(0) != MAGIC) {
            return "its journal is not from fdt";
        }
        if (header.getInt(8) != VERSION) {
            return "its journal has format " + header.getInt(8) + ", this release writes " + VERSION;
        }
        if (header.getInt(HEADER_BYTES - CRC_BYTES) != checksum(header, 0, HEADER_BYTES)) {
            return "its journal's header is damaged";
        }
        ByteBuffer expected = ByteBuffer.wrap(header(identity, header.getLong(64)));
        if (!Checksums.isSet(header.getShort(12))) {
            return "its journal has checksums of another type";
        }
        int mismatch = header.slice(14, 42).mismatch(expected.slice(14, 42));
        if (mismatch >= 0) {
            return mismatch < 2
                    ? "its journal has digests of another type"
                    : mismatch < 26
                            ? "the source has changed since"
                            : "its journal belongs to another name or partial file";
        }
        return header.getLong(56) == identity.inode ? null : "its partial file was replaced";
    }

    private static byte[] header(Identity identity, long number) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        FileEntry source = identity.source;
        header.putLong(MAGIC).putInt(VERSION);
        header.putShort((short) identity.hash.sums().bits());
        header.putShort((short) identity.hash.digest().code());
        header.putLong(source.sizeBytes()).putLong(source.modifiedSeconds()).putInt(source.modifiedNanos());
        header.putInt(source.kind().code());
        header.put(identity.nameHash, 0, 16);
        header.putLong(identity.inode).putLong(number);
        header.putInt(HEADER_BYTES - CRC_BYTES, checksum(header, 0, HEADER_BYTES));
        return header.array();
    }

    private static @Nullable ChunkRecord chunkAt(ByteBuffer batch, int index, long number, long size, NodeHash hash) {
        if (batch.getInt(index + RECORD_BYTES - CRC_BYTES) != checksum(batch, index, RECORD_BYTES)
                || batch.getLong(index) != number) {
            return null;
        }
        long offset = batch.getLong(index + 8);
        long length = batch.getLong(index + 16);
        if (offset < 0 || length <= 0 || length > size || offset > size - length) {
            return null;
        }
        byte[] digest = new byte[hash.lengthBytes()];
        batch.get(index + 24, digest);
        return new ChunkRecord(offset, length, digest);
    }

    /**
     * Sorts the records. Of overlapping records, keeps one if all are equal, otherwise none. Returns the number of
     * contradicting records.
     */
    private static int removeContradictions(List<ChunkRecord> records) {
        records.sort(Comparator.comparingLong(ChunkRecord::offset).thenComparingLong(ChunkRecord::lengthBytes));
        List<ChunkRecord> kept = new ArrayList<>(records.size());
        int contradicting = 0;
        int i = 0;
        while (i < records.size()) {
            ChunkRecord first = records.get(i);
            long end = first.end();
            boolean agree = true;
            int next = i + 1;
            while (next < records.size() && records.get(next).offset() < end) {
                ChunkRecord other = records.get(next);
                agree &= other.offset() == first.offset()
                        && other.lengthBytes() == first.lengthBytes()
                        && Arrays.equals(other.digest(), first.digest());
                end = Math.max(end, other.end());
                next++;
            }
            if (agree) {
                kept.add(first);
            } else {
                contradicting += next - i;
            }
            i = next;
        }
        records.clear();
        records.addAll(kept);
        return contradicting;
    }

    /** @param durably flushes the records; their data is already durable */
    void add(List<ChunkRecord> chunks, boolean durably) {
        ByteBuffer records = ByteBuffer.allocate(chunks.size() * RECORD_BYTES);
        for (ChunkRecord chunk : chunks) {
            int start = records.position();
            records.putLong(number).putLong(chunk.offset()).putLong(chunk.lengthBytes());
            records.put(chunk.digest());
            records.putInt(start + RECORD_BYTES - CRC_BYTES, checksum(records, start, RECORD_BYTES));
            records.position(start + RECORD_BYTES);
        }
        append(records.array());
        int synced = durably ? disk.syncData(fd) : 0;
        if (synced < 0) {
            broken = true;
            throw Errno.failure(FailureKind.TARGET, "flush the journal", path, -synced);
        }
    }

    private void append(byte[] bytes) {
        if (broken) {
            throw Errno.failure(FailureKind.TARGET, "write the journal", path, Errno.EIO);
        }
        writeAll(disk, fd, bytes, lengthBytes, path);
        lengthBytes += bytes.length;
    }

    private static void writeAll(Disk disk, int fd, byte[] bytes, long offset, RawPath path) {
        ByteBuffer memory = ByteBuffer.allocateDirect(bytes.length).put(bytes);
        try {
            int written = Disk.writeAll(disk, fd, Libc.addressOf(memory), bytes.length, offset);
            Errno.require(written, FailureKind.TARGET, "write the journal", path);
        } finally {
            Reference.reachabilityFence(memory);
        }
    }

    /** The stamp for writers of the partial; null if files cannot be mapped: then the next session hashes the data. */
    @Nullable WriteStamp stamp() {
        return stamp;
    }

    boolean hasRecords() {
        return lengthBytes > RECORDS_INDEX;
    }

    private static int checksum(ByteBuffer bytes, int index, int lengthWithChecksum) {
        CRC32C crc = new CRC32C();
        crc.update(
                bytes.duplicate().limit(index + lengthWithChecksum - CRC_BYTES).position(index));
        return (int) crc.getValue();
    }

    @Override
    public void close() {
        if (fd == CLOSED) {
            return;
        }
        if (stamp != null) {
            stamp.close();
        }
        disk.close(fd);
        fd = CLOSED;
    }
}
