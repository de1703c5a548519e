package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Memory of one thread for what calls take and return besides data: two paths, and a structure. Reused, so that nothing
 * is allocated where data moves.
 */
final class Scratch {
    static final int SECOND_PATH = Paths.PATH_MAX + 8;
    /** A structure; none is longer than 256 bytes. */
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

    /** Puts the path with its NUL; false when it is longer than the kernel would take. */
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

    /** The path that leads to what an open descriptor holds. */
    void putDescriptor(int fd) {
        bytes.position(PATH);
        bytes.put(("/proc/self/fd/" + fd).getBytes(StandardCharsets.US_ASCII));
        bytes.put((byte) 0);
    }

    /**
     * The path of a name in a directory that is held open, or of the directory itself where the name is empty: there
     * are no xattr calls relative to a descriptor before Linux 6.13, and the path through /proc is as good.
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
