package io.fdt.rdma;

import com.ibm.disni.verbs.impl.NativeDispatcher;
import com.ibm.disni.verbs.impl.Natives;
import java.io.IOException;

/**
 * DiSNI's native interface without the objects above it, which allocate in every call, drop the status and private data
 * of events, only support IPv4, and have a map that is not thread-safe.
 */
final class Disni {
    static final int ACCESS_LOCAL_WRITE = 1;
    static final int ACCESS_REMOTE_WRITE = 2;
    static final int ACCESS_REMOTE_READ = 4;
    static final int RELIABLE_CONNECTED = 2;
    static final int UNRELIABLE_DATAGRAM = 4;
    static final short TCP_PORTS = 0x106;

    static final NativeDispatcher NATIVES = Natives.create();

    private Disni() {}

    /** Checks a handle, for which DiSNI returns 0 or less on failure. */
    static long handle(long handle, String what) throws IOException {
        if (handle == 0 || handle == -1) {
            throw new IOException("no " + what);
        }
        return handle;
    }
}
