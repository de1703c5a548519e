package io.fdt.core.failure;

import java.io.IOException;
import java.net.NoRouteToHostException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.file.FileSystemException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The errors of Linux that the JDK and Netty pass on as text only. No other class looks into the text of an exception.
 */
public enum KernelError {
    EBADF(9, "Bad file descriptor"),
    // Its text begins with that of the next one.
    ENFILE(23, "Too many open files in system"),
    EMFILE(24, "Too many open files"),
    ENOSPC(28, "No space left on device"),
    EPIPE(32, "Broken pipe"),
    EAFNOSUPPORT(97, "Address family not supported"),
    EADDRINUSE(98, "Address already in use"),
    EADDRNOTAVAIL(99, "Cannot assign requested address"),
    ENETUNREACH(101, "Network is unreachable"),
    ECONNRESET(104, "Connection reset"),
    ETIMEDOUT(110, "Connection timed out"),
    ECONNREFUSED(111, "Connection refused"),
    EHOSTUNREACH(113, "No route to host"),
    EDQUOT(122, "Disk quota exceeded");

    /** The messages of HotSpot's errors about memory that all threads share. */
    private static final Set<String> HEAP_TEXTS =
            Set.of("Java heap space", "GC overhead limit exceeded", "Metaspace", "Compressed class space");

    private static final String THREAD_TEXT = "native thread";

    private final int number;
    private final String text;

    KernelError(int number, String text) {
        this.number = number;
        this.text = text;
    }

    /** The one with this number; null if it is not among these. */
    public static @Nullable KernelError ofNumber(int number) {
        for (KernelError each : values()) {
            if (each.number == number) {
                return each;
            }
        }
        return null;
    }

    /** The first one among the exception and its causes; null if there is none. */
    public static @Nullable KernelError of(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            KernelError found = ofOne(cause);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static @Nullable KernelError ofOne(Throwable failure) {
        if (failure instanceof NoRouteToHostException) {
            return EHOSTUNREACH;
        }
        String message = failure instanceof FileSystemException ofFile ? ofFile.getReason() : failure.getMessage();
        if (message == null || failure instanceof TransferException || failure instanceof Error) {
            return null;
        }
        for (KernelError each : values()) {
            if (message.contains(each.text)) {
                return each;
            }
        }
        return message.contains(Localized.BROKEN_PIPE) ? EPIPE : null;
    }

    /** Whether the heap is full, and not a limit on threads or on memory outside the heap. */
    public static boolean isOfHeap(Throwable failure) {
        return failure instanceof OutOfMemoryError && HEAP_TEXTS.contains(String.valueOf(failure.getMessage()));
    }

    static boolean isOfThreads(OutOfMemoryError failure) {
        return String.valueOf(failure.getMessage()).contains(THREAD_TEXT);
    }

    /** The C library has its texts in the language of the user; this one decides how a program ends. */
    private static final class Localized {
        static final String BROKEN_PIPE = brokenPipe();

        private static String brokenPipe() {
            try {
                Pipe pipe = Pipe.open();
                pipe.source().close();
                try (Pipe.SinkChannel sink = pipe.sink()) {
                    sink.write(ByteBuffer.allocate(1));
                }
            } catch (IOException gone) {
                return gone.getMessage() == null ? EPIPE.text : gone.getMessage();
            }
            return EPIPE.text;
        }
    }
}
