package io.fdt.system;

import io.fdt.core.transport.tcp.TcpTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** A program in which one thread loads Netty's library while another begins to use files and addresses. */
final class LoadingRace {
    private static final long LIMIT_MS = 300_000;

    private LoadingRace() {}

    public static void main(String[] args) throws Exception {
        daemon(() -> {
            Thread.sleep(LIMIT_MS);
            Runtime.getRuntime().halt(1);
            return null;
        });
        Thread loading = daemon(() -> {
            TcpTransport.load();
            return null;
        });
        while (loading.isAlive() && !isOpen("libnetty_transport_native_epoll")) {
            Thread.onSpinWait();
        }
        FileChannel.open(Path.of("/proc/self/status")).close();
        InetAddress.getLoopbackAddress();
        loading.join();
        Runtime.getRuntime().halt(0);
    }

    private static Thread daemon(Callable<?> work) {
        Thread thread = new Thread(() -> {
            try {
                work.call();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Whether a descriptor of this process is a file whose name begins like this. */
    private static boolean isOpen(String name) throws IOException {
        List<Path> descriptors;
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            descriptors = open.toList();
        }
        for (Path descriptor : descriptors) {
            if (target(descriptor).startsWith(name)) {
                return true;
            }
        }
        return false;
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).getFileName().toString();
        } catch (IOException closed) {
            return "";
        }
    }
}
