package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Memory of one thread for the arguments and results of calls other than data: two paths, and a structure. Reused, so
 * that moving data allocates nothing.
 */
final class Scratch {
    static final int SECOND_PATH = Paths.PATH_MAX + 8;
    /** The structure; none is longer than 256 bytes. */
    static final int DATA = SECOND_PATH + Paths.PATH_MAX + 8;

    private static final int PATH = 0;
    private static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);

    final ByteBuffer bytes = ByteBuffer.allocateDirect(DATA + 256).order(ByteOrder.nativeOrder());
    private final long address = Libc.addressOf(bytes);

    private Scratch() {}

    static Scratch get() {
        return OF_THREAD.get();
    }

    long path() {
        return address + PATH;
    }

    long secondPath() {
        return address + SECOND_PATH;
    }

    long data() {
        return address + DATA;
    }

    /** Writes the path with its NUL; false if it exceeds the kernel's limit. */
    boolean putPath(RawPath path) {
        return put(PATH, path);
    }

    boolean putSecondPath(RawPath path) {
        return put(SECOND_PATH, path);
    }

    private boolean put(int index, RawPath path) {
        if (path.lengthBytes() >= Paths.PATH_MAX) {
            return false;
        }
        bytes.position(index);
        path.putTo(bytes);
        bytes.put((byte) 0);
        return true;
    }

    void putEmptyPath() {
        bytes.put(PATH, (byte) 0);
    }

    /** Writes the path that leads to the file of an open descriptor. */
    void putDescriptor(int fd) {
        bytes.position(PATH);
        bytes.put(("/proc/self/fd/" + fd).getBytes(StandardCharsets.US_ASCII));
        bytes.put((byte) 0);
    }

    /**
     * Writes the path of a name in an open directory, or of the directory itself if the name is empty. Before Linux
     * 6.13 there are no xattr calls relative to a descriptor, and the path through /proc is equivalent.
     */
    void putHeldName(int dirFd, RawPath name) {
        putDescriptor(dirFd);
        if (!name.isEmpty()) {
            bytes.put(bytes.position() - 1, (byte) '/');
            name.putTo(bytes);
            bytes.put((byte) 0);
        }
    }
}
