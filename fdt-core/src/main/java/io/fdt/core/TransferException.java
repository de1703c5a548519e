package io.fdt.core;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The engine's exception. Its message is for the operator: one line that names the file, the offset, the peer, whatever
 * applies. The kind determines the exit code and the remedy.
 */
public final class TransferException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The messages of HotSpot's errors about memory that all threads share. */
    private static final Set<String> HEAP_TEXTS =
            Set.of("Java heap space", "GC overhead limit exceeded", "Metaspace", "Compressed class space");

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
     * The failure as a transfer exception; any other exception is an internal error, unless the thread was interrupted
     * or a limit of the host caused it.
     */
    public static TransferException of(Throwable failure) {
        reportFullHeap(failure);
        if (failure instanceof TransferException transferException) {
            return transferException;
        }
        if (failure instanceof InterruptedException) {
            return FailureKind.INTERRUPTED.failure("interrupted", failure);
        }
        TransferException limit = ofHostLimit(failure);
        return limit != null ? limit : FailureKind.INTERNAL.failure("unexpected error: " + failure, failure);
    }

    /**
     * Passes an error of a full heap to the thread's handler of uncaught exceptions, which ends a process of fdt: the
     * error may have struck other threads as well, at any step.
     */
    private static void reportFullHeap(Throwable failure) {
        if (isFullHeap(failure)) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
        }
    }

    /**
     * Whether memory is gone for good, and with it this process. A thread or a buffer for which there is no room is not
     * that: only what needs it ends.
     */
    public static boolean isFullHeap(Throwable failure) {
        return failure instanceof OutOfMemoryError && HEAP_TEXTS.contains(String.valueOf(failure.getMessage()));
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

    /**
     * The failure of fdt's own file, which is not one of the user's: a usage that another setting mends, or a limit of
     * the host if its file system is full.
     *
     * @param setting which would use another place
     */
    public static TransferException ofOwnFile(String what, IOException failure, String setting) {
        String reason = reason(failure);
        boolean full = reason.equals("No space left on device") || reason.equals("Disk quota exceeded");
        return (full ? FailureKind.HOST_LIMIT : FailureKind.USAGE)
                .failure(what + ": " + reason + "; " + (full ? "free space there, or " : "") + setting, failure);
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
