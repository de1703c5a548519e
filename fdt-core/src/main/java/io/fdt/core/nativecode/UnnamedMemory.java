package io.fdt.core.nativecode;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Memory with a descriptor and without a name, for processes that pass the descriptor to each other. Thread-safe. */
public final class UnnamedMemory {
    /** The memory cannot be shrunk, grown or further sealed: a mapping of it stays valid whatever the peer does. */
    private static final int SEALS = 0x1 | 0x2 | 0x4;

    private static final int F_ADD_SEALS = 1033;
    private static final int MFD_CLOEXEC = 0x1;
    private static final int MFD_ALLOW_SEALING = 0x2;
    private static final int PROT_READ_WRITE = 0x3;
    private static final int MAP_SHARED = 0x1;
    private static final int NAME_BYTES = 16;

    /** Called by number: C libraries before 2.27 have no function for it. */
    private static final long SYS_MEMFD_CREATE =
            System.getProperty("os.arch", "").equals("aarch64") ? 279 : 319;

    private UnnamedMemory() {}

    /**
     * Creates memory of no size yet, without seals. Returns its descriptor, or the negated errno.
     *
     * @param name for tools, at most 15 characters
     */
    public static int create(String name) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(NAME_BYTES).put(name.getBytes(StandardCharsets.US_ASCII));
        return (int) Libc.result(
                Libc.syscall(SYS_MEMFD_CREATE, Libc.addressOf(bytes), MFD_CLOEXEC | MFD_ALLOW_SEALING, 0, 0, 0));
    }

    /** Creates memory of fixed size, completely allocated and zeroed, for {@link #map}. Returns likewise. */
    public static int create(String name, long lengthBytes) {
        int fd = create(name);
        if (fd < 0) {
            return fd;
        }
        // Allocated pages cannot be missing during a later write.
        int made = Libc.result(Libc.fallocate(fd, 0, 0, lengthBytes));
        int sealed = made < 0 ? made : Libc.result(Libc.fcntl(fd, F_ADD_SEALS, SEALS));
        if (sealed < 0) {
            Libc.close(fd);
            return sealed;
        }
        return fd;
    }

    /** Returns the address at which the memory is from now on, or the negated errno. */
    public static long map(int fd, long lengthBytes) {
        return Libc.result(Libc.mmap(0, lengthBytes, PROT_READ_WRITE, MAP_SHARED, fd, 0));
    }
}
