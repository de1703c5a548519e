package io.fdt.core.nativecode;

import io.fdt.core.failure.TransferException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * fdt's own library in C, which is loaded once, on first use. Nothing works without it, so a process calls {@link
 * #require} before anything else. Thread-safe.
 */
public final class NativeCode {
    private static final NativeLibrary LIBRARY = NativeLibrary.ofFdt();

    static {
        try {
            LIBRARY.load();
        } catch (TransferException notHere) {
            // Reported to the code that requires it.
        }
    }

    private NativeCode() {}

    /** USAGE with the reason if the library cannot be loaded on this host. */
    public static void require() {
        LIBRARY.load();
    }

    // ---- XXH3-128 (xxh3.c).

    /** Returns the level of the widest vectors that this processor handles well, 0 for none. */
    public static native int xxh3BestLevel();

    /**
     * Writes the canonical digest of {@code length} bytes at the address to the array.
     *
     * @param level from 0 to {@link #xxh3BestLevel()}, all with the same result
     */
    public static native void xxh3(int level, long address, int length, byte[] out, int outOffset);

    public static native void xxh3OfArray(int level, byte[] bytes, int length, byte[] out, int outOffset);

    // ---- Adler-32, CRC-32C and CRC-32 (checksums.c).

    /** Returns the level of the best instructions that this processor handles well, 0 for none. */
    public static native int checksumsBestLevel();

    /**
     * Continues checksums over {@code length} bytes at the address.
     *
     * @param level from 0 to {@link #checksumsBestLevel()}, all with the same result
     * @param kinds the lowest bits select Adler-32, CRC-32C and CRC-32
     * @param sums one of each kind, in this order, over the bytes before
     */
    public static native void addToChecksums(int level, int kinds, long address, int length, int[] sums);

    // ---- Socket calls of a lane that Libc does not have (sockets.c).

    /**
     * Returns the number of received bytes, 0 for the end of the stream, or the negated errno. Polls this many times
     * instead of waiting.
     */
    public static native int receivePolling(int fd, long address, int length, int times);

    /**
     * Waits until the socket can take more bytes to send, and then returns 1, or 2 if its error queue may have
     * messages, with or without room. Returns 0 after the timeout, if bytes can be received first, or if the connection
     * has failed, and the negated errno if waiting fails.
     */
    public static native int awaitRoom(int fd, int patienceMs);

    /**
     * Reads which sends with MSG_ZEROCOPY the kernel has completed. Never waits.
     *
     * @param address of memory for three numbers of 32 bits for each notice: the first and the last send, counted from
     *     0, and 1 if the kernel copied their bytes, otherwise 0
     * @param room for this many notices
     * @return the number of notices
     */
    public static native int sentInPlace(int fd, long address, int room);

    // ---- Helpers for the calls of Libc (libc.c).

    static native int errno();

    static native long addressOf(ByteBuffer direct);

    static native ByteBuffer bufferAt(long address, long lengthBytes);

    // ---- Several small files in one call (files.c).

    /**
     * Reads files below a directory one after the other, without following links.
     *
     * @param files address of the list of files and their buffers, laid out by {@code WholeFiles}
     * @return how many files, in order, were read and were unchanged before and after. The caller opens the next one
     *     itself to find out what was wrong
     */
    public static native int readWhole(int dirFd, long files, int count);

    // ---- Giving up access to files (landlock.c).

    /**
     * Restricts every thread of this process, and all that they start, by a Landlock ruleset, and keeps them from
     * gaining privileges by executing a program. Returns 0, or an errno if a thread is not restricted.
     *
     * @param exceptThreads the kernel's numbers of threads that are not restricted
     */
    public static native int restrictThreads(int rulesetFd, int... exceptThreads);

    // ---- Accounts of this host (accounts.c).

    /**
     * Returns the numbers of an account's user and group, and then of all its groups. Null with an errno in the other
     * array if there is no such account (ENOENT), or no answer.
     *
     * @param name ends with a zero
     */
    public static native int @Nullable [] account(byte[] name, int[] reason);

    /**
     * Gives all threads of this process another user and other groups for good, without any capability, and keeps other
     * processes of that user from reading its memory. Returns 0 or an errno, after which the process must end.
     */
    public static native int become(int uid, int gid, int[] groups);
}
