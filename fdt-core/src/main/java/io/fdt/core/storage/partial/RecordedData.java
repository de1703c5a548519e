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

/**
 * Verifies by hashing that the data that a journal records is still there. Helper threads, named {@code fdt-rehash-N},
 * each take the next record, and have ended when the result is returned.
 */
final class RecordedData {
    private static final int THREADS_MAX = 8;
    /** It is not worth starting a thread for less than this. */
    private static final long THREAD_BYTES = 8 << 20;

    private final List<ChunkRecord> records;
    /** The offset in the file to which the records are relative. */
    private final long start;

    private final DigestKind kind;
    private final Disk disk;
    private final int fd;
    private final AtomicInteger next = new AtomicInteger();
    /** By record; read after the helper threads have ended. */
    private final boolean[] isSound;

    private RecordedData(List<ChunkRecord> records, long start, DigestKind kind, Disk disk, int fd) {
        this.records = records;
        this.start = start;
        this.kind = kind;
        this.disk = disk;
        this.fd = fd;
        this.isSound = new boolean[records.size()];
    }

    /**
     * Returns the records whose data has the recorded digest; none if there are no digests. May take a long time.
     *
     * @param start of the range to which they are relative; 0 for a whole file
     */
    static List<ChunkRecord> sound(List<ChunkRecord> records, long start, DigestKind kind, Disk disk, int fd) {
        if (kind == DigestKind.NONE || records.isEmpty()) {
            return List.of();
        }
        return new RecordedData(records, start, kind, disk, fd).sound();
    }

    private List<ChunkRecord> sound() {
        long totalBytes = records.stream().mapToLong(ChunkRecord::lengthBytes).sum();
        long threads = Math.min(
                Math.min(THREADS_MAX, Runtime.getRuntime().availableProcessors()), 1 + totalBytes / THREAD_BYTES);
        List<Thread> helpers = new ArrayList<>();
        for (int i = 1; i < threads; i++) {
            Thread helper = new Thread(this::hashAll, "fdt-rehash-" + i);
            helper.setDaemon(true);
            helper.start();
            helpers.add(helper);
        }
        hashAll();
        helpers.forEach(RecordedData::awaitEnd);
        List<ChunkRecord> sound = new ArrayList<>();
        for (int i = 0; i < isSound.length; i++) {
            if (isSound[i]) {
                sound.add(records.get(i));
            }
        }
        return sound;
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

    private void hashAll() {
        TreeDigest digest = new TreeDigest(kind);
        ByteBuffer leaf = ByteBuffer.allocateDirect(TreeDigest.LEAF_BYTES);
        try {
            for (int i = next.getAndIncrement(); i < isSound.length; i = next.getAndIncrement()) {
                isSound[i] = isSound(records.get(i), digest, leaf);
            }
        } finally {
            Reference.reachabilityFence(leaf);
        }
    }

    /** Unreadable data is not sound: it is sent again, and the device may store it elsewhere. */
    private boolean isSound(ChunkRecord record, TreeDigest digest, ByteBuffer leaf) {
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
