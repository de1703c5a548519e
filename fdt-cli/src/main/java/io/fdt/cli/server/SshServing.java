package io.fdt.cli.server;

import io.fdt.cli.command.Context;
import io.fdt.cli.key.KeyRing;
import io.fdt.cli.ssh.Handover;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.UserText;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.plan.RawPath;
import io.fdt.core.run.Threads;
import io.fdt.core.security.OneTimeHome;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The remote end of one copy over ssh: a server with its own temporary directory for its identity and key. Writes the
 * key to standard output, which is the ssh connection. If standard input ends before there was a session, the client is
 * gone and the server stops. A running session continues while its client has any connection open, because the client
 * may have lost only ssh.
 */
final class SshServing implements ServerObserver, AutoCloseable {
    private static final String HOME = "FDT_HOME";
    private static final String CAME_BY = "SSH_CONNECTION";
    private static final int CAME_BY_FIELDS = 4;
    private static final int CAME_BY_SERVER = 2;

    private final OneTimeHome home;
    private final Context context;
    private @Nullable RunningServer server;
    private boolean visited;

    private SshServing(OneTimeHome home, Context context) {
        this.home = home;
        this.context = context;
    }

    static SshServing begin(Context context) {
        try {
            OneTimeHome home = OneTimeHome.create();
            return new SshServing(home, context.with(HOME, home.directory().toString()));
        } catch (IOException e) {
            throw UserText.refusal("--for-ssh: cannot store the one-time key: " + e.getMessage());
        }
    }

    /** The address at which this ssh connection arrived, and any port. */
    static HostPort address(Map<String, String> environment) {
        String[] fields = environment.getOrDefault(CAME_BY, "").split(" ", -1);
        String host = fields.length == CAME_BY_FIELDS ? fields[CAME_BY_SERVER] : "";
        if (host.isEmpty()) {
            throw UserText.refusal(
                    "--for-ssh: " + CAME_BY + " does not show how ssh connected; add --listen HOST:PORT");
        }
        return new HostPort(host, 0);
    }

    Context context() {
        return context;
    }

    /** Sends the address and key to the client, and starts to watch for the end of standard input. */
    void onReady(RunningServer ready) {
        RawPath here = RawPath.ofText(System.getProperty("user.dir", "/"));
        context.console()
                .data(new Handover(ready.port(), here, KeyRing.of(context).line()).toLine());
        synchronized (this) {
            server = ready;
        }
        Threads.start("fdt-ssh-input", this::awaitEndOfInput);
    }

    private void awaitEndOfInput() {
        try (InputStream input = context.standardInput()) {
            input.transferTo(OutputStream.nullOutputStream());
        } catch (IOException gone) {
            // The same as the end of the input.
        }
        RunningServer running;
        boolean inUse;
        synchronized (this) {
            running = server;
            inUse = visited;
        }
        if (running == null) {
            return;
        }
        if (inUse) {
            running.endDeserted();
        } else {
            running.stop(0);
        }
    }

    @Override
    public void onSessionStart(String session, String peer, String key, String what) {
        synchronized (this) {
            visited = true;
        }
    }

    @Override
    public void close() {
        try {
            home.close();
        } catch (NoSuchFileException alreadyRemoved) {
            // A process that is ended at once has already removed it.
        } catch (IOException e) {
            context.console().warning("cannot remove " + home.directory() + ": " + e.getMessage());
        }
    }
}
