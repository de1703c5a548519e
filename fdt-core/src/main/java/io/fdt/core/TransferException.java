package io.fdt.core;

import org.jspecify.annotations.Nullable;

/**
 * The one exception of the engine. Its message is for the operator: one line that names the file, the
 * offset, the peer, whatever there is to name. The kind carries the exit code and the remedy.
 */
public final class TransferException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final FailureKind kind;

    public TransferException(FailureKind kind, String message) {
        this(kind, message, null);
    }

    public TransferException(FailureKind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public FailureKind kind() {
        return kind;
    }

    /** The failure as a transfer exception; what is none of ours is an internal error. */
    public static TransferException of(Throwable failure) {
        if (failure instanceof TransferException transferException) {
            return transferException;
        }
        return new TransferException(FailureKind.INTERNAL, "unexpected: " + failure, failure);
    }
}
