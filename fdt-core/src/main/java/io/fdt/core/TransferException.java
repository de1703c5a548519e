package io.fdt.core;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/**
 * The engine's exception. Its message is for the operator: one line that names the file, the offset, the peer, whatever
 * applies. The kind determines the exit code and the remedy.
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

    /**
     * The failure as a transfer exception; any other exception is an internal error, unless a limit of the host caused
     * it.
     */
    public static TransferException of(Throwable failure) {
        if (failure instanceof TransferException transferException) {
            return transferException;
        }
        TransferException limit = ofHostLimit(failure);
        return limit != null ? limit : FailureKind.INTERNAL.failure("unexpected error: " + failure, failure);
    }

    /** The failure as a limit of the host on open files, threads or memory; null if it is something else. */
    public static @Nullable TransferException ofHostLimit(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            if (message.contains("Too many open files")) {
                return FailureKind.HOST_LIMIT.failure("the limit of open files is reached", failure);
            }
            if (cause instanceof OutOfMemoryError) {
                return FailureKind.HOST_LIMIT.failure(
                        message.contains("native thread")
                                ? "the limit of threads is reached"
                                : "Java is out of memory (" + message
                                        + "); give it more (java -Xmx) or use fewer lanes (-P)",
                        failure);
            }
        }
        return null;
    }

    /** Why a file cannot be used, without its path, which is the whole message of some of these exceptions. */
    public static String reason(Throwable failure) {
        if (failure instanceof NoSuchFileException) {
            return "no such file or directory";
        }
        if (failure instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (failure instanceof FileAlreadyExistsException) {
            return "another file has this name";
        }
        return failure instanceof FileSystemException ofFile && ofFile.getReason() != null
                ? ofFile.getReason()
                : String.valueOf(failure.getMessage());
    }
}
