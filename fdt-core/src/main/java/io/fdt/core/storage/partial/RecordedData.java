package io.fdt.core.storage.partial;

import io.fdt.core.digest.DigestKind;
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
import java.util.stream.IntStream;

/**
 * Verifies by hashing that the data that a journal records is still there. Helper threads, named {@code fdt-rehash-N},
 * each take the next record, and have ended when the result is returned.
 */
final class RecordedData {
    private static final int THREADS_MAX = 8;
    /** It is not worth starting a thread for less than this. */
    private static final long THREAD_BYTES = 8 << 20;

    private RecordedData() {}

    /**
     * Returns the records whose data has the recorded digest; none if there are no digests. May take a long time.
     *
     * @param start of the range to which they are relative; 0 for a whole file
     */
    static List<ChunkRecord> sound(List<ChunkRecord> records, long start, DigestKind kind, Disk disk, int fd) {
        if (kind == DigestKind.NONE || records.isEmpty()) {
            return List.of();
        }
        // By record; read after the helper threads have ended.
        boolean[] isSound = new boolean[records.size()];
        AtomicInteger next = new AtomicInteger();
        Runnable hashing = () -> {
            TreeDigest digest = new TreeDigest(kind);
            ByteBuffer leaf = ByteBuffer.allocateDirect(TreeDigest.LEAF_BYTES);
            try {
                for (int i = next.getAndIncrement(); i < isSound.length; i = next.getAndIncrement()) {
                    isSound[i] = isSound(records.get(i), start, digest, leaf, disk, fd);
                }
            } finally {
                Reference.reachabilityFence(leaf);
            }
        };
        long totalBytes = records.stream().mapToLong(ChunkRecord::lengthBytes).sum();
        long threads = Math.min(
                Math.min(THREADS_MAX, Runtime.getRuntime().availableProcessors()), 1 + totalBytes / THREAD_BYTES);
        List<Thread> helpers = new ArrayList<>();
        for (int i = 1; i < threads; i++) {
            Thread helper = new Thread(hashing, "fdt-rehash-" + i);
            helper.setDaemon(true);
            helper.start();
            helpers.add(helper);
        }
        hashing.run();
        helpers.forEach(RecordedData::awaitEnd);
        return IntStream.range(0, isSound.length)
                .filter(i -> isSound[i])
                .mapToObj(records::get)
                .toList();
    }

    /** The helpers read from a descriptor that is closed after this, so an interrupt is deferred. */
    private static void awaitEnd(Thread helper) {
        boolean interrupted = false;
        while (helper.isAlive()) {
            try {
                helper.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Unreadable data is not sound: it is sent again, and the device may store it elsewhere. */
    private static boolean isSound(
            ChunkRecord record, long start, TreeDigest digest, ByteBuffer leaf, Disk disk, int fd) {
        long address = Libc.addressOf(leaf);
        digest.reset();
        for (long at = record.offset(); at < record.end(); at += TreeDigest.LEAF_BYTES) {
            int wanted = (int) Math.min(TreeDigest.LEAF_BYTES, record.end() - at);
            if (Disk.readAll(disk, fd, address, wanted, start + at) < wanted) {
                return false;
            }
            digest.addLeaf(leaf, address, 0, wanted);
        }
        return Arrays.equals(digest.finish(), record.digest());
    }
}
