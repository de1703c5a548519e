package io.fdt.rdma;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Native functions in addition to DiSNI's (verbs.c, queues.c), for which its classes have no calls. A handle is the
 * address of the C object, as in DiSNI, or 0 for none. An int without another meaning is 0 or the system's error
 * number.
 */
final class Verbs {
    static final int COMPLETIONS = 1;
    static final int EVENTS = 2;
    static final int RING = 4;

    static {
        System.loadLibrary("disni");
    }

    private Verbs() {}

    static native void bind(long id, byte[] address, int port, int scope) throws IOException;

    static native void resolve(long id, byte[] address, int port, int scope, int timeoutMs) throws IOException;

    static native int localPort(long id);

    static native int peerPort(long id);

    static native byte @Nullable [] peerAddress(long id);

    /** Takes an event without waiting, and writes it to the memory of a {@link CmEvent}. */
    static native boolean takeEvent(long channel, long out);

    static native void accept(long id, int rnrRetries, long data, int lengthBytes) throws IOException;

    static native int reject(long id, long data, int lengthBytes);

    static native void migrate(long id, long channel) throws IOException;

    static native int setReuseAddress(long id);

    static native String[] devices();

    static native String deviceName(long context);

    /** Requests per queue, completions per queue, parts per request, 1 for iWARP. */
    static native int deviceLimits(long context, int[] out);

    /** The 16-byte address of the connection's local port. */
    static native void localGid(long id, byte[] out);

    /** State, active MTU in bytes, link layer, number of GIDs. */
    static native int portFacts(long context, int port, int[] out);

    /** Returns zeroed memory; 0 if there is none of this kind. */
    static native long map(long lengthBytes, boolean huge);

    static native int unmap(long address, long lengthBytes);

    static native ByteBuffer view(long address, long lengthBytes);

    /** Returns the start of a direct buffer; 0 if it is not direct. */
    static native long address(ByteBuffer buffer);

    static native void copy(long to, long from, int lengthBytes);

    /** Returns which of {@link #COMPLETIONS}, {@link #EVENTS} and {@link #RING} are ready, 0 after the timeout. */
    static native int await(long completionChannel, long eventChannel, int wakeUp, int timeoutMs);

    static native String completionText(int status);

    static native String errorText(int error);

    // ---- Queue pairs without the connection manager (queues.c).

    /** Returns the named device, or 0. */
    static native long openDevice(String device);

    static native int closeDevice(long context);

    /** Returns the index of this 16-byte address in the port's table; -1 if it is not there. */
    static native int gidIndex(long context, int port, byte[] gid);

    static native int lid(long context, int port);

    /** Writes the local and the remote key to {@code keys}. */
    static native long registered(long domain, long address, long lengthBytes, int access, int[] keys)
            throws IOException;

    static native long createPair(long domain, long completions, int kind, int sends, int receives, int inlineBytes)
            throws IOException;

    static native int destroyPair(long pair);

    static native int beginPair(long pair, int port, int access, int key);

    static native int goDatagrams(long pair);

    static native int goConnected(long pair, int port, int gidIndex, int mtu, byte[] gid, int lid, int number);

    static native long createAddress(long domain, int port, int gidIndex, byte[] gid, int lid) throws IOException;

    static native int destroyAddress(long address);

    /** Throws an exception for an error number other than 0. */
    static void check(int error, String what) throws IOException {
        if (error != 0) {
            throw new IOException(what + ": " + errorText(error));
        }
    }

    /** Frees a resource; if the device does not release it, the kernel frees it later. */
    interface Freeing {
        int free() throws IOException;
    }

    /** Frees a resource, and returns the first of two failures. */
    static @Nullable IOException freed(@Nullable IOException before, String what, Freeing freeing) {
        try {
            check(freeing.free(), what);
            return before;
        } catch (IOException failed) {
            return before == null ? failed : before;
        }
    }
}
