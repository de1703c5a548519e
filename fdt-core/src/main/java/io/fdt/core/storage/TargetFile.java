package io.fdt.core.storage;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The data of one entry until it gets its final name. Thread-safe: several lanes write one file, at different offsets.
 * The order is: write and zero; sync (or the target's syncFileSystem); record; seal, when all bytes are written;
 * publish; syncName (or the target's syncFileSystem). No lane may be writing when seal, publish, abandon or close is
 * called. Failures are transfer exceptions, mostly of kind TARGET; REFUSED if another session is writing the same
 * target.
 */
public interface TargetFile extends AutoCloseable {
    void write(long address, int lengthBytes, long offset);

    /**
     * Whether writes bypass the page cache, so that they should be large, and aligned in memory and file. Opens the
     * file, like a write.
     */
    default boolean isDirect() {
        return false;
    }

    /** Whether writes are discarded, so that callers need not write. */
    default boolean discards() {
        return false;
    }

    /** Makes the range, which contains only zeros, a hole, or leaves it one. */
    void zero(long offset, long lengthBytes);

    /** Called when written data failed its verification; it will be written again. */
    default void onDamaged() {}

    /**
     * Flushes the data. After a failure, the file can never be published, because the kernel does not keep track of the
     * lost data.
     */
    void sync();

    /**
     * Durably records chunks whose data is already flushed, so that a later session need not move them again. Returns
     * false if this file has no records.
     */
    boolean record(List<ChunkRecord> chunks);

    /** Whether a place for records is ready. If not, they are not worth making for a file that is complete. */
    default boolean recordsAtOnce() {
        return true;
    }

    /** Gives the file its size and metadata. All bytes must have been written. */
    void seal();

    /**
     * Sets the digest of all bytes, before {@link #publish}. A range records it for the session that joins the file.
     */
    default void setDigest(byte[] digest) {}

    /** Gives a sealed file its final name. An existing file keeps that name until then. */
    void publish();

    /** After {@link #publish}: flushes the directory that has the final name. */
    default void syncName() {}

    /** What the operator should know about how it was written; null if there is nothing. */
    default @Nullable String remark() {
        return null;
    }

    /**
     * Gives up. On request, keeps the data that the journal records, for a later session; removes everything else.
     * Returns whether something is kept.
     */
    boolean abandon(boolean keepForResume);

    /** Abandons an unpublished file, so that a later session can resume it. Idempotent. */
    @Override
    default void close() {
        abandon(true);
    }
}
