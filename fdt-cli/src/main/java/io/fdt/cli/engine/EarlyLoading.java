package io.fdt.cli.engine;

import io.fdt.core.Threads;
import io.fdt.core.TransferException;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Root;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.SessionMessage;

/**
 * Begins to load what nearly every session needs while the process still finds out what it is to do: a start is mostly
 * the loading of classes, one after the other as they are met, and other cores stand idle meanwhile. A thread that
 * needs a class that is being loaded waits for it, and reports a class that cannot be loaded.
 */
public final class EarlyLoading {
    private EarlyLoading() {}

    /** Returns at once. */
    public static void begin() {
        start("fdt-load-network", TcpTransport::load);
        start("fdt-load-session", EarlyLoading::loadSession);
    }

    private static void start(String name, Runnable load) {
        Threads.start(name, () -> {
            try {
                load.run();
            } catch (TransferException | LinkageError notHere) {
                // The code that needs it reports the failure.
            }
        });
    }

    /** In the order in which a session comes to it. */
    private static void loadSession() {
        Root.confined(RawPath.ofText("/")).close();
        ControlCodec.decode(ControlCodec.encode(new SessionMessage.Heartbeat(0)), "");
        new TreeDigest(DigestKind.XXH3_128).reset();
    }
}
