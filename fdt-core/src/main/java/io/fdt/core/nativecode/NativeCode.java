package io.fdt.core.nativecode;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Our own library in C, which the jar holds: loaded once, when somebody first asks for it. If it was not built for this
 * processor or cannot be loaded, every caller has a replacement in Java. Thread-safe.
 */
public final class NativeCode {
    private static final boolean LOADED = load();

    private NativeCode() {}

    public static boolean isLoaded() {
        return LOADED;
    }

    // ---- XXH3-128 (xxh3.c): several times as fast as Java, and from the first leaf on, before anything is compiled.

    /** The widest vectors that this processor is good at, 0 for none. */
    public static native int xxh3BestLevel();

    /**
     * Writes the canonical digest of {@code length} bytes at the address to the array.
     *
     * @param level from 0 to {@link #xxh3BestLevel()}, all with the same result
     */
    public static native void xxh3(int level, long address, int length, byte[] out, int outOffset);

    /** The same of the first {@code length} bytes of an array. */
    public static native void xxh3OfArray(int level, byte[] bytes, int length, byte[] out, int outOffset);

    // ---- Calls of a lane's socket that Libc has not (sockets.c).

    /** What came, 0 for the end of the stream, or the negated errno. Asks so many times in a row instead of waiting. */
    public static native int receivePolling(int fd, long address, int length, int times);

    /**
     * Waits until the socket has room to send into: 1. 0 when it has not got any in that time, when there is something
     * to be received first, or when the connection has failed; the negated errno when it cannot wait.
     */
    public static native int awaitRoom(int fd, int patienceMs);

    // ---- What goes with the calls of Libc (libc.c).

    static native int errno();

    static native long addressOf(ByteBuffer direct);

    static native ByteBuffer bufferAt(long address, long lengthBytes);

    // ---- Several small files in one call (files.c).

    /**
     * Reads files below a directory, through no link, one after the other.
     *
     * @param files address of what is to be read, and where to, as {@code WholeFiles} lays it out
     * @return how many, in order, could be read and were what they were listed as, before and after; what the next one
     * lacks, whoever opens it alone learns
     */
    public static native int readWhole(int dirFd, long files, int count);

    private static boolean load() {
        String machine = System.getProperty("os.arch", "").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
        try (InputStream library = NativeCode.class.getResourceAsStream(machine + "/libfdt.so")) {
            if (library == null) {
                return false;
            }
            Path file = Files.createTempFile("libfdt", ".so");
            try {
                Files.copy(library, file, StandardCopyOption.REPLACE_EXISTING);
                System.load(file.toString());
            } finally {
                Files.delete(file);
            }
            return true;
        } catch (IOException | UnsatisfiedLinkError | SecurityException noLibrary) {
            return false;
        }
    }
}
