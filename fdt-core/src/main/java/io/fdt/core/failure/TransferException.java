package io.fdt.core.failure;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The engine's exception, which carries a {@link Failure}. Its message is the text of the failure: one line for the
 * operator.
 */
public final class TransferException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Failure failure;

    /** @param origin what was thrown before; null for nothing */
    public TransferException(Failure failure, @Nullable Throwable origin) {
        super(failure.text(), origin);
        this.failure = failure;
    }

    public Failure failure() {
        return failure;
    }

    public FailureKind kind() {
        return failure.kind();
    }

    public boolean is(Cause cause) {
        return failure.cause() == cause;
    }

    /** The same failure as one of a part of a whole, such as a lane: names the part before the detail. */
    public TransferException within(String part) {
        return new TransferException(failure.with(part + ": " + failure.reason()), this);
    }

    /** The same failure as one of this path, unless it is already one of a path. */
    public TransferException at(String path) {
        return failure.path() == null ? new TransferException(failure.at(path), this) : this;
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
            return Cause.INTERRUPTED.failure("interrupted", failure);
        }
        TransferException limit = ofHostLimit(failure);
        return limit != null ? limit : Cause.INTERNAL.failure("unexpected error: " + failure, failure);
    }

    /**
     * Passes an error of a full heap to the thread's handler of uncaught exceptions, which ends a process of fdt: the
     * error may have struck other threads as well, at any step.
     */
    private static void reportFullHeap(Throwable failure) {
        if (KernelError.isOfHeap(failure)) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
        }
    }

    /** The failure as a limit of the host on open files, threads or memory; null if it is something else. */
    public static @Nullable TransferException ofHostLimit(Throwable failure) {
        KernelError error = KernelError.of(failure);
        if (error == KernelError.EMFILE || error == KernelError.ENFILE) {
            return Failure.of(Cause.HOST_LIMIT)
                    .errno(error.name())
                    .failure("the limit of open files is reached", failure);
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof OutOfMemoryError memory) {
                return KernelError.isOfThreads(memory)
                        ? Cause.HOST_LIMIT.failure("the limit of threads is reached", failure)
                        : Cause.HOST_LIMIT
                                .advise("give it more (java -Xmx) or use fewer lanes (-P)")
                                .failure("Java is out of memory (" + memory.getMessage() + ")", failure);
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
        String detail = what + ": " + reason(failure);
        KernelError error = KernelError.of(failure);
        return error == KernelError.ENOSPC || error == KernelError.EDQUOT
                ? Cause.HOST_LIMIT
                        .advise("free space there, or " + setting)
                        .errno(error.name())
                        .failure(detail, failure)
                : Cause.USAGE.failure(detail + "; " + setting, failure);
    }

    /** The cause of a failure to read a file of this host that is not copied. */
    public static Cause causeOfReading(IOException failure) {
        return failure instanceof AccessDeniedException ? Cause.UNREADABLE : Cause.SOURCE;
    }

    /** The cause of a failure to write a file that a server keeps for itself. */
    public static Cause causeOfWriting(Exception failure) {
        if (failure instanceof AccessDeniedException) {
            return Cause.PERMISSION;
        }
        KernelError error = KernelError.of(failure);
        return error == KernelError.ENOSPC
                ? Cause.NO_SPACE
                : error == KernelError.EDQUOT ? Cause.QUOTA : Cause.IO_ERROR;
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
                : Objects.requireNonNullElseGet(
                        ofTls(failure), () -> Objects.requireNonNullElse(failure.getMessage(), failure.toString()));
    }

    /** What Java has against the other end's certificate, without the names of its classes; null for anything else. */
    private static @Nullable String ofTls(Throwable failure) {
        String reason = null;
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof CertificateExpiredException) {
                return "its certificate has expired";
            }
            if (each instanceof CertificateNotYetValidException) {
                return "its certificate is not valid yet; check the clocks of both hosts";
            }
            String message = String.valueOf(each.getMessage());
            if (each instanceof CertPathBuilderException) {
                reason = "its certificate is from an authority that Java does not trust; add the authority to a file"
                        + " with keytool -importcert, and name that in"
                        + " JDK_JAVA_OPTIONS=-Djavax.net.ssl.trustStore=FILE";
            } else if (each instanceof CertificateException && message.startsWith("No ")) {
                reason = "its certificate is for another host: " + message.replace("No ", "no ");
            }
        }
        return reason;
    }
}
