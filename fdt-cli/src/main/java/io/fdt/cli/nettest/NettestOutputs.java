package io.fdt.cli.nettest;

import io.fdt.cli.console.LogEvent;
import io.fdt.cli.display.EventLog;
import io.fdt.cli.display.JsonDisplay;
import io.fdt.core.basic.Figures;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.Failure;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.Suite;
import io.fdt.core.stats.SessionActivity;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes the events of a network test to its log, its display and its monitor, until it has ended; only the first end
 * counts. Thread-safe.
 */
final class NettestOutputs implements NettestObserver {
    private final EventLog log;
    private final Suite suite;
    private final NettestDisplay display;
    private final Consumer<SessionActivity> monitor;
    private volatile String session = "";
    private volatile @Nullable String peer;
    private volatile @Nullable JsonObject last;
    private boolean ended;

    NettestOutputs(EventLog log, Suite suite, NettestDisplay display, Consumer<SessionActivity> monitor) {
        this.log = log;
        this.suite = suite;
        this.display = display;
        this.monitor = monitor;
    }

    @Override
    public void onActivity(SessionActivity activity) {
        monitor.accept(activity);
        log.watchLanes(activity);
    }

    @Override
    public synchronized void onStart(String name, NettestPlan plan, String transport, String otherEnd) {
        if (ended) {
            return;
        }
        session = name;
        peer = otherEnd;
        noteAsJson(
                LogEvent.SESSION_START,
                plan.suite().announcement(plan, otherEnd, transport),
                new JsonObject().with("transport", transport));
        display.onStart(name, plan, transport, otherEnd);
    }

    @Override
    public synchronized void onInterval(JsonObject progress) {
        last = progress;
        if (!ended) {
            display.onInterval(progress);
        }
    }

    @Override
    public synchronized void onWarning(String message) {
        if (ended) {
            return;
        }
        noteAsJson(LogEvent.WARNING, message, new JsonObject());
        display.onWarning(message);
    }

    synchronized void onEnd(NettestOutcome outcome) {
        if (ended) {
            return;
        }
        ended = true;
        if (!session.isEmpty()) {
            note(outcome);
        }
        display.onEnd(outcome);
    }

    private void note(NettestOutcome outcome) {
        Failure failure = outcome.failure();
        noteAsJson(
                LogEvent.SESSION_END,
                "session " + session + " ended after " + Figures.elapsed(outcome.elapsedNanos())
                        + (failure == null ? "" : ": " + outcome.message()),
                JsonDisplay.failureOf(outcome)
                        .with("reason", outcome.message())
                        .with("seconds", Math.max(0, outcome.elapsedNanos()) / 1e9, 6));
    }

    /** Shows the line of the last second again. */
    void logStatus() {
        JsonObject progress = last;
        List<String> lines =
                progress == null ? List.of("nothing has been measured yet") : NettestText.lines(suite, progress, false);
        for (String line : lines) {
            log.tell(LogEvent.STATUS, sessionIfAny(), peer, line.strip(), new JsonObject());
        }
    }

    private @Nullable String sessionIfAny() {
        return session.isEmpty() ? null : session;
    }

    /** In text mode, the other display shows it. */
    private void noteAsJson(LogEvent event, String message, JsonObject fields) {
        if (log.form().json()) {
            log.tell(event, sessionIfAny(), peer, message, fields);
        }
    }
}
