package io.fdt.core.transport.tcp;

import io.fdt.core.failure.Cause;
import io.fdt.core.nativecode.NativeLibrary;
import io.netty.channel.epoll.Epoll;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Loads the library of Netty's epoll, where fdt has it: Netty itself would unpack it into the temporary directory at
 * each start. The library initializes the class with its functions, and that class looks for the library when it is
 * initialized. So it must be loaded in between, which is when that class requests its log.
 */
final class NettyEpoll {
    private static final String FUNCTIONS = "io.netty.channel.epoll.Native";
    private static final NativeLibrary LIBRARY = NativeLibrary.ofNetty("transport_native_epoll");

    static {
        NettyLog.quieten(name -> {
            if (name.equals(FUNCTIONS)) {
                initializeClassesOfJava();
                LIBRARY.load();
            }
        });
    }

    private NettyEpoll() {}

    /**
     * While a library is loaded, no other thread can load one, and this library initializes these classes of Java,
     * which load libraries themselves. Another thread that has begun to initialize one of them would wait for this
     * thread, and this thread for the other.
     */
    private static void initializeClassesOfJava() {
        try {
            Class.forName("sun.nio.ch.FileChannelImpl");
            InetAddress.getByName("0.0.0.0");
            InetAddress.getByName("::");
        } catch (ClassNotFoundException | UnknownHostException notInThisJava) {
            throw Cause.INTERNAL.failure("this Java differs from what fdt knows: " + notInThisJava, notInThisJava);
        }
    }

    /** Loads the library, unless this has been done. USAGE if that is not possible on this host. */
    static void load() {
        if (!Epoll.isAvailable()) {
            LIBRARY.load();
            Throwable cause = Epoll.unavailabilityCause();
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            throw Cause.USAGE.failure("epoll does not work here: " + cause.getMessage(), cause);
        }
    }
}
