package io.fdt.cli.server;

import io.fdt.cli.display.Hook;
import io.fdt.cli.display.ServerLog;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.run.Threads;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.posix.Landlock;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Runs {@code --on-session} for each session that has ended, one at a time on its own thread, {@code fdt-on-session},
 * so that no session waits for a command. The server exempts this thread from what it gives up, because the command may
 * need anything. At most {@value #MAX_WAITING} sessions wait; further ones are reported as left out. Thread-safe.
 */
final class SessionHook implements ServerObserver, AutoCloseable {
    private static final int MAX_WAITING = 1_024;
    private static final long CLOSE_MS = 5_000;
    /** Wakes the thread; not passed to the command. */
    private static final byte[] END = new byte[0];

    private final Hook hook;
    private final Consumer<String> warnings;
    private final ArrayBlockingQueue<byte[]> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final CompletableFuture<Integer> kernelThread = new CompletableFuture<>();
    private final Thread thread = Threads.daemon("fdt-on-session", this::run);

    SessionHook(Hook hook, Consumer<String> warnings) {
        this.hook = hook;
        this.warnings = warnings;
        Threads.start(thread);
    }

    private void run() throws InterruptedException {
        kernelThread.complete(Landlock.thread());
        for (byte[] json = waiting.take(); json.length > 0; json = waiting.take()) {
            hook.run(json);
        }
    }

    /** Returns the kernel's number of the thread that starts the commands. */
    int kernelThread() {
        return kernelThread.join();
    }

    @Override
    public void onSessionEnd(String session, String peer, String key, Summary summary) {
        if (!waiting.offer(ServerLog.sessionEnd(peer, key, summary))) {
            warnings.accept("--on-session was not run for session " + session + ": " + MAX_WAITING
                    + " sessions wait for it already");
        }
    }

    /** Waits a little for the commands of the last sessions. */
    @Override
    public void close() {
        // If the queue is full, its sessions are left out, because the server ends.
        if (!waiting.offer(END)) {
            thread.interrupt();
        }
        Threads.join(thread, CLOSE_MS);
    }
}
