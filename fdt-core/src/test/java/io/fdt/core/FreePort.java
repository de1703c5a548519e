package io.fdt.core;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports for programs that cannot choose one themselves and report it. They are below those that the kernel gives to
 * whoever asks for any port, so one that is free stays free until the program takes it. Each JVM begins with another.
 */
public final class FreePort {
    private static final int FIRST = 20_000;
    private static final int COUNT = 10_000;
    private static final AtomicInteger NEXT =
            new AtomicInteger((int) (ProcessHandle.current().pid() * 61 % COUNT));

    private FreePort() {}

    public static int next() {
        for (int attempt = 0; attempt < COUNT; attempt++) {
            int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
            try (ServerSocket socket = new ServerSocket(port)) {
                return socket.getLocalPort();
            } catch (IOException taken) {
                // The next one may be free.
            }
        }
        throw new AssertionError("no port from " + FIRST + " on is free");
    }

    /** Returns a socket whose local port stays its own, and at which nobody listens. */
    public static Socket withoutListener() {
        try {
            Socket socket = new Socket();
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
