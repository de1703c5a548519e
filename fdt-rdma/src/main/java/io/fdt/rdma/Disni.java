package io.fdt.rdma;

import com.ibm.disni.verbs.impl.NativeDispatcher;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;

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

    static final NativeDispatcher NATIVES = natives();

    private Disni() {}

    /** Its constructor, which checks the versions of both sides, is package-private. */
    private static NativeDispatcher natives() {
        try {
            Constructor<NativeDispatcher> constructor = NativeDispatcher.class.getDeclaredConstructor();
            constructor.setAccessible(true);
            return constructor.newInstance();
        } catch (InvocationTargetException failed) {
            throw new IllegalStateException("DiSNI does not accept the native library", failed.getCause());
        } catch (ReflectiveOperationException changed) {
            throw new IllegalStateException("this is not DiSNI 2.1", changed);
        }
    }

    /** Checks a handle, for which DiSNI returns 0 or less on failure. */
    static long handle(long handle, String what) throws IOException {
        if (handle == 0 || handle == -1) {
            throw new IOException("no " + what);
        }
        return handle;
    }
}
