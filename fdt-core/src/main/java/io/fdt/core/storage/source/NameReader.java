package io.fdt.core.storage.source;

import io.fdt.core.plan.RawPath;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The names in one open directory, one after the other. Owns the directory's descriptor. One thread. */
interface NameReader {
    int fd();

    boolean isSuspended();

    /**
     * The next name other than {@code .} and {@code ..} into {@code name[0]}. 1, 0 at the end, or the negated errno.
     */
    int next(@Nullable RawPath[] name);

    /** Closes the descriptor and hands the buffer back. */
    @Nullable ByteBuffer suspend();

    /** Goes on behind the last name that was given. 0, or the negated errno; the descriptor is owned either way. */
    int resume(int newFd, ByteBuffer newBuffer);
}
