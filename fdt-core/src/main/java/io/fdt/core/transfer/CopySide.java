package io.fdt.core.transfer;

import io.fdt.core.TransferException;
import io.fdt.core.control.SessionHandler;
import io.fdt.core.wire.TransferMessage;
import org.jspecify.annotations.Nullable;

/** Sender or receiver of a copy. Belongs to the session's thread. */
public interface CopySide extends SessionHandler {
    /** What the sender said at the end; null before. */
    TransferMessage.@Nullable Finish finish();

    /** What the receiver said at the end; null before. */
    TransferMessage.@Nullable Finished finished();

    /**
     * Frees what the session held. What is not complete stays as it can be resumed from.
     *
     * @param cause why the session failed; null where it ended in order
     */
    void close(@Nullable TransferException cause);
}
