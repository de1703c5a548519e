package io.fdt.rdma;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The natives of queue pairs without the connection manager (queues.c). A handle is the address of the C object, 0 for none.
 * Those that return an int without another meaning return 0 or the system's error number.
 */
final class Queues {
    static {
        System.loadLibrary("disni");
    }

    private Queues() {}

    /** The named device, or 0. */
    static native long open(String device);

    static native int close(long context);

    /** Where the port has this address of 16 bytes among its own; -1 for nowhere. */
    static native int gidIndex(long context, int port, byte[] gid);

    static native int lid(long context, int port);

    /** The local key and the remote one go to {@code keys}. */
    static native long registered(long domain, long address, long lengthBytes, int access, int[] keys)
            throws IOException;

    static native long createPair(
            long domain, long completions, long shared, int kind, int sends, int receives, int inlineBytes)
            throws IOException;

    static native int destroyPair(long pair);

    static native int begin(long pair, int port, int access, int key);

    static native int goDatagrams(long pair);

    static native int goConnected(long pair, int port, int gidIndex, int mtu, byte[] gid, int lid, int number);

    static native long createAddress(long domain, int port, int gidIndex, byte[] gid, int lid) throws IOException;

    static native int destroyAddress(long address);

    static native long createShared(long domain, int receives) throws IOException;

    static native int destroyShared(long shared);

    static native int postShared(long shared, long requests);

    /** Throws what the error number says, where it is one. */
    static void check(int error, String what) throws IOException {
        if (error != 0) {
            throw new IOException(what + ": " + Verbs.errorText(error));
        }
    }

    /** Frees something; what the device holds on to is the kernel's to take back. */
    interface Freeing {
        int free() throws IOException;
    }

    /** Frees, and returns the first of two failures. */
    static @Nullable IOException freed(@Nullable IOException before, String what, Freeing freeing) {
        try {
            check(freeing.free(), what);
            return before;
        } catch (IOException failed) {
            return before == null ? failed : before;
        }
    }
}
