package io.fdt.cli.copy;

import io.fdt.cli.command.Context;
import io.fdt.cli.engine.Engine;
import io.fdt.cli.ssh.RemoteServer;
import io.fdt.core.security.ServerAccess;
import org.jspecify.annotations.Nullable;

/** The remote end of one command, which ssh starts for it; nothing where a server is there already. Thread-safe. */
public final class FarEnd implements AutoCloseable {
    private final @Nullable SshCopy wanted;
    private volatile @Nullable RemoteServer server;

    /** @param wanted what is to be started; null where nothing is */
    public FarEnd(@Nullable SshCopy wanted) {
        this.wanted = wanted;
    }

    /** Starts it, in the place of one that was there before, and returns the engine that it admits. */
    public Engine start(Context context) {
        close();
        if (wanted == null) {
            return context.engine();
        }
        RemoteServer started = wanted.start();
        server = started;
        return context.with(ServerAccess.ENVIRONMENT, started.handover().keyLine())
                .engine();
    }

    public @Nullable RemoteServer server() {
        return server;
    }

    @Override
    public void close() {
        RemoteServer started = server;
        server = null;
        if (started != null) {
            started.close();
        }
    }
}
