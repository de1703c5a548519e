package io.fdt.core.control;

import io.fdt.core.failure.TransferException;
import io.fdt.core.run.Threads;
import io.fdt.core.security.BearerToken;
import io.fdt.core.wire.SessionMessage;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Shows the servers of a client's sessions what is written to the file of its token, so that sessions outlast the token
 * that they began with. A thread, {@code fdt-token}, looks once a second, because a file server may not respond.
 * Thread-safe.
 */
final class TokenWatch implements AutoCloseable {
    private static final long LOOK_MS = 1_000;

    private final BearerToken token;
    private final String software;
    /** The token that the server of each session has been shown. */
    private final Map<ControlChannel, String> shown = new HashMap<>();

    private @Nullable Thread thread;

    TokenWatch(BearerToken token, String software) {
        this.token = token;
        this.software = software;
    }

    synchronized void follow(ControlChannel channel, String admitting) {
        shown.put(channel, admitting);
        if (thread == null) {
            thread = Threads.daemon("fdt-token", this::look);
            Threads.start(thread, noThread -> {
                // Then the sessions end with their token.
            });
        }
    }

    private void look() throws InterruptedException {
        while (!Thread.currentThread().isInterrupted()) {
            Thread.sleep(LOOK_MS);
            try {
                show(token.read());
            } catch (TransferException unreadable) {
                // It may be there again soon, and the server knows one.
            }
        }
    }

    /** A new link of a session shows the newest token itself. */
    private synchronized void show(String newest) {
        shown.keySet().removeIf(ControlChannel::isOver);
        shown.replaceAll((channel, before) -> {
            if (!before.equals(newest)) {
                channel.sendOnLink(new SessionMessage.Bearer(newest, software));
            }
            return newest;
        });
    }

    @Override
    public synchronized void close() {
        if (thread != null) {
            thread.interrupt();
        }
    }
}
