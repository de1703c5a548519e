package io.fdt.core.engine;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.run.Threads;
import io.fdt.core.storage.Root;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.SessionMessage;

/**
 * Loads classes that nearly every session needs while something else is prepared. A start mostly consists
 * of loading classes one after the other, and other cores are idle meanwhile. A thread that needs a class in loading
 * waits for it, and reports a class that cannot be loaded.
 */
public final class EarlyLoading {
    private EarlyLoading() {}

    /** Starts to load what a session with another host needs, and returns at once. */
    public static void beginNetwork() {
        start("fdt-load-network", TcpTransport::load);
    }

    /** Starts to load what every session needs, and returns at once. */
    public static void beginSession() {
        start("fdt-load-session", EarlyLoading::loadSession);
    }

    private static void start(String name, Runnable load) {
        Threads.start(
                name,
                () -> {
                    try {
                        load.run();
                    } catch (TransferException | LinkageError notHere) {
                        // The code that needs it reports the failure.
                    }
                },
                noThread -> {});
    }

    /** Loads the classes in the order in which a session needs them. */
    private static void loadSession() {
        Root.confined(RawPath.ofText("/")).close();
        ControlCodec.decode(ControlCodec.encode(new SessionMessage.Heartbeat(0)), "");
        new TreeDigest(DigestKind.XXH3_128).reset();
    }
}
