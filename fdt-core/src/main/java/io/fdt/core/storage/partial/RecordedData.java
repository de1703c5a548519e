package io.fdt.core.storage.partial;

import io.fdt.core.budget.Budget;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.posix.Disk;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Verifies by hashing that the data that a journal records is still there, and computes checksums that the records
 * lack. Helper threads, named {@code fdt-rehash-N}, each take the next record, and have ended when the result is
 * returned.
 */
final class RecordedData {
    private static final int THREADS_MAX = 8;
    /** It is not worth starting a thread for less than this. */
    private static final long THREAD_BYTES = 8 << 20;

    private final NodeHash recorded;
    private final NodeHash wanted;
    /** Of both. */
    private final NodeHash computed;

    private final boolean trusted;
    private final Budget budget;

    /**
     * @param wanted the hash of the session, with the same digest and perhaps other checksums
     * @param trusted whether the data is known to be there, so that only checksums are lacking
     */
    RecordedData(NodeHash recorded, NodeHash wanted, boolean trusted, Budget budget) {
        this.budget = budget;
        this.recorded = recorded;
        this.wanted = wanted;
        this.computed = recorded.sums().and(wanted.sums()).beside(recorded.digest());
        this.trusted = trusted;
    }

    /**
     * Returns the records whose data has the recorded hash, with the wanted one; none if nothing was hashed. May take a
     * long time.
     *
     * @param start of the range to which they are relative; 0 for a whole file
     */
    List<ChunkRecord> sound(List<ChunkRecord> records, long start, Disk disk, int fd) {
        if (records.isEmpty() || (recorded.lengthBytes() == 0 && !trusted)) {
            return List.of();
        }
        if (trusted && recorded.sums().and(wanted.sums()).equals(recorded.sums())) {
            return records.stream()
                    .map(each -> withValue(each, recorded, each.digest()))
                    .toList();
        }
        // By record, null for one that is not sound; read after the helper threads have ended.
        @Nullable ChunkRecord[] found = new ChunkRecord[records.size()];
        AtomicInteger next = new AtomicInteger();
        Runnable hashing = () -> {
            TreeDigest digest = new TreeDigest(computed);
            ByteBuffer leaf = ByteBuffer.allocateDirect(TreeDigest.LEAF_BYTES);
            try {
                for (int i = next.getAndIncrement(); i < found.length; i = next.getAndIncrement()) {
                    ChunkRecord record = records.get(i);
                    found[i] = budget.inTurn(() -> sound(record, start, digest, leaf, disk, fd));
                }
            } finally {
                Reference.reachabilityFence(leaf);
            }
        };
        long totalBytes = records.stream().mapToLong(ChunkRecord::lengthBytes).sum();
        long threads = Math.min(
                Math.min(THREADS_MAX, Runtime.getRuntime().availableProcessors()), 1 + totalBytes / THREAD_BYTES);
        // They read from a descriptor that is closed after this.
        budget.runOnSeveral("fdt-rehash", (int) threads - 1, hashing);
        List<ChunkRecord> sound = new ArrayList<>();
        for (ChunkRecord each : found) {
            if (each != null) {
                sound.add(each);
            }
        }
        return sound;
    }

    /** Unreadable data is not sound: it is sent again, and the device may store it elsewhere. */
    private @Nullable ChunkRecord sound(
            ChunkRecord record, long start, TreeDigest digest, ByteBuffer leaf, Disk disk, int fd) {
        long address = Libc.addressOf(leaf);
        digest.reset();
        for (long at = record.offset(); at < record.end(); at += TreeDigest.LEAF_BYTES) {
            int wanted = (int) Math.min(TreeDigest.LEAF_BYTES, record.end() - at);
            if (Disk.readAll(disk, fd, address, wanted, start + at) < wanted) {
                return null;
            }
            digest.addLeaf(leaf, address, 0, wanted);
        }
        byte[] value = digest.finish();
        boolean same = Arrays.equals(recorded.of(computed, value), record.digest());
        return same ? withValue(record, computed, value) : null;
    }

    private ChunkRecord withValue(ChunkRecord record, NodeHash hash, byte[] value) {
        return recorded.equals(wanted)
                ? record
                : new ChunkRecord(record.offset(), record.lengthBytes(), wanted.of(hash, value));
    }
}
