package io.fdt.cli.display;

import io.fdt.cli.console.LogEvent;
import io.fdt.core.basic.Figures;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Word;
import io.fdt.core.failure.Failure;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import org.jspecify.annotations.Nullable;

/** Logs a transfer as events. Next to a {@link TextDisplay}, logs only what that does not show. Thread-safe. */
public final class LogDisplay implements Display {
    private final EventLog log;
    private volatile String session = "";
    private volatile @Nullable String peer;

    public LogDisplay(EventLog log) {
        this.log = log;
    }

    @Override
    public void onActivity(SessionActivity activity) {
        session = activity.name();
        peer = activity.peer();
        log.watchLanes(activity);
    }

    @Override
    public void onStart(String name, int lanes, String transport, String otherEnd) {
        session = name;
        peer = otherEnd;
        noteAsJson(
                LogEvent.SESSION_START,
                "session " + name + " with " + otherEnd + ", " + Figures.count(lanes, "lane") + ", " + transport,
                new JsonObject().with("lanes", lanes).with("transport", transport));
    }

    @Override
    public void onFile(String path, FileOutcome outcome, long sizeBytes, @Nullable Failure why) {
        LogEvent event = outcome == FileOutcome.FAILED ? LogEvent.FILE_FAILED : LogEvent.FILE;
        if (!log.form().level().has(event.level())) {
            return;
        }
        String word = Word.of(outcome);
        noteAsJson(
                event,
                word.replace('_', ' ') + " " + path + (why == null ? "" : ": " + why.text()),
                new JsonObject()
                        .with("path", path)
                        .with("outcome", word)
                        .with("bytes", sizeBytes)
                        .with(why == null ? new JsonObject() : JsonDisplay.ofFile(why)));
    }

    @Override
    public void onWarning(String message) {
        noteAsJson(LogEvent.WARNING, message, new JsonObject());
    }

    /** The next attempt has a new session, or none. */
    @Override
    public void onRetry(int attempt, Summary failed, long pauseNanos) {
        noteEnd(failed);
        noteAsJson(
                LogEvent.RETRY,
                SummaryText.retryLine(attempt, failed, pauseNanos),
                JsonDisplay.retry(attempt, failed, pauseNanos));
        session = "";
        peer = null;
    }

    @Override
    public void onRound(Summary round) {
        noteEnd(round);
        session = "";
        peer = null;
    }

    private void noteEnd(Summary summary) {
        if (!session.isEmpty()) {
            ServerLog.noteResume(log, session, String.valueOf(peer), summary);
            noteAsJson(
                    LogEvent.SESSION_END, "session " + session + SummaryText.ended(summary), ServerLog.ended(summary));
        }
    }

    @Override
    public void onEnd(Summary summary) {
        Failure failure = summary.failure();
        noteEnd(summary);
        if (failure != null) {
            noteAsJson(LogEvent.ERROR, failure.text(), failure.json().with("remedy", failure.remedy()));
        }
    }

    /** Does nothing in text mode, where the other display shows the event. */
    private void noteAsJson(LogEvent event, String message, JsonObject fields) {
        if (log.form().json()) {
            log.tell(event, session.isEmpty() ? null : session, peer, message, fields);
        }
    }
}
