package io.fdt.core.nettest.service;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.control.ServerConnection;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.SeveralServers;
import io.fdt.core.stats.SessionActivity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Requests to several servers at the same time. Each server has a session of its own, with its own thread. They begin
 * together, fill one {@link SeveralServers}, and end together: if one fails, the others are ended, and the failure
 * names it.
 */
public final class ServersNettest implements NettestJob {
    private final NettestPlan plan;
    private final SeveralServers suite;

    // Guarded by this.
    private final List<ClientNettest> tests = new ArrayList<>();
    private final List<Runnable> ready = new ArrayList<>();
    /** The number of the server whose test failed first; -1 for none. */
    private int firstFailure = -1;

    /** Starts at once, with the servers in the plan's order and {@code proc} and {@code sys} below this root. */
    public ServersNettest(NettestPlan plan, List<ServerConnection> servers, NettestObserver observer, Path root) {
        this.plan = plan;
        this.suite = plan.suite().severalServers(plan);
        // A test that fails at once waits until all others exist and can be ended.
        synchronized (this) {
            for (int server = 0; server < servers.size(); server++) {
                int number = server;
                tests.add(new ClientNettest(
                        plan.ofServer(server),
                        own -> suite.ofServer(number, own),
                        this::onReady,
                        outcome -> onEnd(number, outcome),
                        servers.get(server),
                        new PartObserver(plan, server, observer),
                        root));
            }
        }
    }

    private synchronized List<ClientNettest> tests() {
        return List.copyOf(tests);
    }

    /** The last one to be ready starts all; the actions return at once. */
    private void onReady(Runnable begin) {
        List<Runnable> all;
        synchronized (this) {
            ready.add(begin);
            all = ready.size() == tests.size() ? List.copyOf(ready) : List.of();
        }
        all.forEach(Runnable::run);
    }

    private void onEnd(int server, NettestOutcome outcome) {
        synchronized (this) {
            if (outcome.failure() == null || firstFailure >= 0) {
                return;
            }
            firstFailure = server;
        }
        interrupt(Failure.of(Cause.INTERRUPTED, "ended with the test of " + plan.serverName(server)));
    }

    /** Reports one test: the start and the seconds of the first server's session represent all. */
    private record PartObserver(NettestPlan plan, int server, NettestObserver observer) implements NettestObserver {
        @Override
        public void onStart(String session, NettestPlan ofServer, String transport, String peer) {
            if (server == 0) {
                observer.onStart(session, plan, transport, String.join(", ", plan.serverNames()));
            }
        }

        @Override
        public void onInterval(JsonObject progress) {
            if (server == 0) {
                observer.onInterval(progress);
            }
        }

        @Override
        public void onActivity(SessionActivity session) {
            observer.onActivity(session);
        }

        @Override
        public void onWarning(String message) {
            observer.onWarning(plan.serverName(server) + ": " + message);
        }
    }

    @Override
    public void interrupt(Failure why) {
        tests().forEach(test -> test.interrupt(why));
    }

    @Override
    public NettestOutcome await() throws InterruptedException {
        List<NettestOutcome> outcomes = new ArrayList<>();
        for (ClientNettest test : tests()) {
            outcomes.add(test.await());
        }
        synchronized (this) {
            return sum(outcomes, firstFailure);
        }
    }

    @Override
    public boolean await(Duration limit) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        for (ClientNettest test : tests()) {
            if (!test.await(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        tests().forEach(ClientNettest::close);
    }

    @Override
    public void close(long timeoutMs) {
        tests().forEach(test -> test.close(timeoutMs));
    }

    private NettestOutcome sum(List<NettestOutcome> outcomes, int firstFailed) {
        int failed = firstFailed;
        // That a server cannot be reached is more important than the failures of others that waited for it.
        for (int server = outcomes.size() - 1; server >= 0; server--) {
            if (outcomes.get(server).kind() == FailureKind.CANNOT_CONNECT) {
                failed = server;
            }
        }
        Failure why = failed < 0 ? null : outcomes.get(failed).failure();
        List<NettestResult> results = outcomes.stream()
                .map(NettestOutcome::result)
                .filter(Objects::nonNull)
                .toList();
        return new NettestOutcome(
                why == null || isOfUser(why.kind()) ? why : why.with(plan.serverName(failed) + ": " + why.reason()),
                results.isEmpty() ? null : suite.sum(results, why == null && results.size() == outcomes.size()),
                outcomes.stream().mapToLong(NettestOutcome::elapsedNanos).max().orElse(0),
                outcomes.get(0).session());
    }

    private static boolean isOfUser(FailureKind kind) {
        return kind == FailureKind.INTERRUPTED || kind == FailureKind.TERMINATED;
    }
}
