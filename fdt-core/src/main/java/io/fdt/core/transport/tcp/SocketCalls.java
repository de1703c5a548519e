package io.fdt.core.transport.tcp;

import io.fdt.core.nativecode.NativeCode;

/**
 * The two calls that move bytes, from our own native code: a foreign call made for any signature costs as much as a third of
 * a short system call. Where there is no native code, {@link Sockets} has the same calls.
 */
final class SocketCalls {
    static final boolean AVAILABLE = NativeCode.isLoaded();

    private SocketCalls() {}

    /** What the kernel took, or the negated errno. */
    static native int send(int fd, long address, int length, int flags);

    /** What came, 0 for the end of the stream, or the negated errno. */
    static native int receive(int fd, long address, int length, int flags);

    /** As {@link #receive}, but asks so many times in a row instead of waiting. */
    static native int receivePolling(int fd, long address, int length, int times);

    /**
     * Waits until the socket has room to send into: 1. 0 when it has not got any in that time, when there is something to
     * be received first, or when the connection has failed; the negated errno when it cannot wait.
     */
    static native int awaitRoom(int fd, int patienceMs);
}
