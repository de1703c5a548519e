package io.fdt.cli.server;

import io.fdt.core.Fdt;
import io.fdt.core.control.AccountProcesses;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.engine.Serving;
import io.fdt.core.failure.Failure;
import io.fdt.core.run.Threads;
import io.fdt.core.security.OneTimeAccess;
import io.fdt.core.stats.Summary;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A server that runs until it is stopped, or until its first session ends. Thread-safe. */
final class RunningServer {
    private final Serving serving;
    private final FirstSession first;
    private final @Nullable AccountHelpers accounts;
    private final CountDownLatch asked = new CountDownLatch(1);
    private volatile long stopTimeoutMs;
    private volatile boolean ended;

    private RunningServer(Serving serving, FirstSession first, @Nullable AccountHelpers accounts) {
        this.serving = serving;
        this.first = first;
        this.accounts = accounts;
    }

    /**
     * Starts a server, which is ready when this returns.
     *
     * @param once whether the server ends with its first session
     * @param accounts the processes of other accounts; null if it cannot have any
     * @param access what alone admits to it; null for the keys of the home
     */
    static RunningServer start(
            Fdt fdt,
            ServerSettings settings,
            boolean once,
            List<ServerObserver> observers,
            @Nullable AccountHelpers accounts,
            @Nullable OneTimeAccess access) {
        FirstSession first = new FirstSession();
        List<ServerObserver> all = new ArrayList<>(observers);
        if (once) {
            all.add(first);
        }
        ServerObserver observer = new ServerObservers(all);
        if (accounts != null) {
            accounts.reportTo(observer);
        }
        Serving serving = access != null
                ? fdt.serveOnce(settings, observer, access)
                : fdt.serve(settings, observer, accounts == null ? AccountProcesses.NONE : accounts);
        if (once) {
            Threads.start("fdt-once", () -> {
                first.ended.await();
                serving.close();
            });
        }
        RunningServer running = new RunningServer(serving, first, accounts);
        // A signal arrives on a thread that was restricted by itself, and a thread inherits from the one that starts
        // it: the kernel would refuse it devices for RDMA, which threads of this one have opened.
        Threads.start("fdt-stop", running::stopWhenAsked);
        return running;
    }

    private void stopWhenAsked() throws InterruptedException {
        asked.await();
        if (ended) {
            return;
        }
        try {
            if (accounts != null) {
                accounts.stop();
            }
            serving.stop(stopTimeoutMs);
            if (accounts != null) {
                accounts.close();
            }
        } finally {
            first.failure = null;
            serving.close();
        }
    }

    /** See {@link Serving#reload}. */
    void reload() {
        serving.reload();
    }

    /** Returns the port on which it listens, even if the settings requested any free port. */
    int port() {
        return serving.address().getPort();
    }

    /**
     * Stops accepting sessions and brings the running ones to a resumable state within the timeout. Returns at once;
     * {@link #await} returns when this is done.
     */
    void stop(long timeoutMs) {
        stopTimeoutMs = timeoutMs;
        asked.countDown();
    }

    void endDeserted() {
        serving.endDeserted();
    }

    /** Waits for the end. Returns the failure of the one session, or null if it succeeded or the server was stopped. */
    @Nullable Failure await() throws InterruptedException {
        serving.await();
        ended = true;
        asked.countDown();
        first.ended.countDown();
        return first.failure;
    }

    /** Records the end of the first session. */
    private static final class FirstSession implements ServerObserver {
        private final CountDownLatch ended = new CountDownLatch(1);
        private volatile @Nullable Failure failure;

        @Override
        public synchronized void onSessionEnd(String session, String peer, String key, Summary summary) {
            if (ended.getCount() > 0) {
                failure = summary.failure();
                ended.countDown();
            }
        }
    }
}
