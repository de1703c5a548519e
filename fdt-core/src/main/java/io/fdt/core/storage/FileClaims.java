package io.fdt.core.storage;

import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import org.jspecify.annotations.Nullable;

/**
 * Keeps other sessions of a server from the files that a session has open for writing. A file is held from before it is
 * opened until it is closed: a name that was only offered holds nothing. Paths are relative to the root of the tree.
 * Thread-safe.
 */
public interface FileClaims {
    /** No other session can conflict. */
    FileClaims NONE = new FileClaims() {
        @Override
        public boolean mayHold(RawPath path) {
            return true;
        }

        @Override
        public boolean tryHold(RawPath path, @Nullable FileRange range) {
            return true;
        }

        @Override
        public void hold(RawPath path) {}

        @Override
        public void release(RawPath path, @Nullable FileRange range) {}
    };

    /** Returns false if {@link #hold} would have to wait for a session that goes on. */
    boolean mayHold(RawPath path);

    /**
     * Takes the file, unless another session holds it and goes on. Waits for a session that is ending.
     *
     * @param range of the file; null for all of it
     * @throws TransferException BUSY, or the failure that ended the session
     */
    boolean tryHold(RawPath path, @Nullable FileRange range);

    /**
     * Takes the file. For lanes: may wait for as long as another session writes the file.
     *
     * @throws TransferException BUSY, if this session must end for the one that holds it, or what ended the session
     */
    void hold(RawPath path);

    /** The file is closed. Has no effect if it is not held. */
    void release(RawPath path, @Nullable FileRange range);
}
