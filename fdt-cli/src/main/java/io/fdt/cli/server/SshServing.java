package io.fdt.cli.server;

import io.fdt.cli.command.Context;
import io.fdt.cli.ssh.Handover;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.UserText;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.plan.RawPath;
import io.fdt.core.run.Threads;
import io.fdt.core.security.OneTimeAccess;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The remote end of one copy over ssh: a server with an identity and a key that only its memory has. Writes the key to
 * standard output, which is the ssh connection. If standard input ends before there was a session, the client is
 * gone and the server stops. A running session continues while its client has any connection open, because the client
 * may have lost only ssh.
 */
final class SshServing implements ServerObserver {
    private static final String CAME_BY = "SSH_CONNECTION";
    private static final int CAME_BY_FIELDS = 4;
    private static final int CAME_BY_SERVER = 2;

    private final OneTimeAccess access = new OneTimeAccess();
    private final Context context;
    private @Nullable RunningServer server;
    private boolean visited;

    SshServing(Context context) {
        this.context = context;
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

    OneTimeAccess access() {
        return access;
    }

    /** Sends the address and key to the client, and starts to watch for the end of standard input. */
    void onReady(RunningServer ready) {
        RawPath here = RawPath.ofText(System.getProperty("user.dir", "/"));
        context.console().data(new Handover(ready.port(), here, access.line()).toLine());
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
}
