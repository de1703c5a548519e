package io.fdt.core.storage;

import java.util.List;

/**
 * The data of one entry on its way to the final name. Thread-safe: several lanes write one file, at different places.
 * The order is: write and zero; sync (or the target's syncFileSystem); record; seal, when every byte is there; publish.
 * Before seal, publish, abandon and close no lane may be writing any more. Failures are transfer exceptions, mostly of
 * kind TARGET; REFUSED when another session is writing the same target.
 */
public interface TargetFile extends AutoCloseable {
    void write(long address, int lengthBytes, long offset);

    /**
     * Whether it is written past the page cache, so that writes want to be large, and aligned in memory and file. As a
     * write does, opens it.
     */
    default boolean isDirect() {
        return false;
    }

    /** Whether what is written goes nowhere, so that nobody needs to. */
    default boolean discards() {
        return false;
    }

    /** The range holds nothing but zeros: makes a hole of it, or leaves one. */
    void zero(long offset, long lengthBytes);

    /** Something that was written did not verify, and will be written again. */
    default void onDamaged() {}

    /** Flushes the data. Once it has failed, the file can never be published: the kernel forgets what it lost. */
    void sync();

    /** Remembers chunks whose data was flushed before, durably, so that a later session need not move them again. */
    void record(List<ChunkRecord> chunks);

    /** Every byte is there: gives the file its size and metadata. */
    void seal();

    /**
     * The digest of all bytes, before {@link #publish}: for a range, which leaves it to whoever puts the file together.
     */
    default void tellDigest(byte[] digest) {}

    /** Gives a sealed file its final name. What stood there before stays until this very moment. */
    void publish();

    /** Gives up. What a journal vouches for is kept for a later session if asked; the rest is removed. */
    void abandon(boolean keepForResume);

    /** Abandons what is not published, for a later session to resume. Closing again does nothing. */
    @Override
    default void close() {
        abandon(true);
    }
}
