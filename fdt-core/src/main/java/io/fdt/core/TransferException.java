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

    /** The failure as a transfer exception; what is none of ours and no limit of the host is an internal error. */
    public static TransferException of(Throwable failure) {
        if (failure instanceof TransferException transferException) {
            return transferException;
        }
        TransferException limit = ofHostLimit(failure);
        return limit != null ? limit : new TransferException(FailureKind.INTERNAL, "unexpected: " + failure, failure);
    }

    /** What the failure is if the host gave no more open files or threads; null if it is something else. */
    public static @Nullable TransferException ofHostLimit(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            if (message.contains("Too many open files")) {
                return new TransferException(FailureKind.HOST_LIMIT, "the limit of open files is reached", failure);
            }
            if (cause instanceof OutOfMemoryError && message.contains("native thread")) {
                return new TransferException(FailureKind.HOST_LIMIT, "the limit of threads is reached", failure);
            }
        }
        return null;
    }
}
