package io.fdt.cli.display;

import io.fdt.cli.command.Context;
import io.fdt.cli.console.Console;
import io.fdt.cli.console.LogEvent;
import io.fdt.cli.console.LogLevel;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.plan.Printable;
import io.fdt.core.stats.LaneObserver;
import io.fdt.core.stats.SessionActivity;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The log of a command, on standard error: one line per event, as text or as a JSON object. No text from a peer or a
 * file name can end a line or begin another. Thread-safe; a call takes no longer than {@link Console} does.
 */
public final class EventLog {
    /** Loaded by the first line that has a time: most copies have none. */
    private static final class Times {
        static final DateTimeFormatter FORMAT =
                DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);
    }

    private final Console console;
    private final LogForm form;
    private final Supplier<Instant> now;
    private final boolean timed;

    private EventLog(Console console, LogForm form, Supplier<Instant> now, boolean timed) {
        this.console = console;
        this.form = form;
        this.now = now;
        this.timed = timed;
    }

    /** Starts the log of a command. As JSON, any other message on standard error becomes a line of it, too. */
    public static EventLog begin(Context context, LogForm form) {
        return begin(context.console(), form, Instant::now, false);
    }

    /** Like {@link #begin}, for a long-running command: its text lines also begin with the time. */
    public static EventLog beginTimed(Context context, LogForm form) {
        return begin(context.console(), form, Instant::now, true);
    }

    static EventLog begin(Console console, LogForm form, Supplier<Instant> now, boolean timed) {
        EventLog log = new EventLog(console, form, now, timed);
        if (form.json()) {
            console.sayAs(log::lineOf);
        }
        return log;
    }

    /** Returns the time in the format of all logs. */
    public static String time(Instant moment) {
        return Times.FORMAT.format(moment);
    }

    public LogForm form() {
        return form;
    }

    /** Logs an event if the level includes it, even if the user requested no level. */
    public void tell(
            LogEvent event, @Nullable String session, @Nullable String peer, String message, JsonObject fields) {
        if (!form.level().has(event.level())) {
            return;
        }
        if (form.json()) {
            console.line(lineOf(event, session, peer, message, fields));
        } else {
            console.message((timed ? time(now.get()) + " " : "") + human(event, message));
        }
    }

    /** Logs an event that belongs to no session. */
    public void tell(LogEvent event, String message, JsonObject fields) {
        tell(event, null, null, message, fields);
    }

    /** Logs an event without additional fields. */
    public void tell(LogEvent event, String message) {
        tell(event, null, null, message, new JsonObject());
    }

    /**
     * Logs how far a job is, after SIGUSR1.
     *
     * @param running reads the progress; null if there is none yet, and then {@code otherwise} is logged
     */
    public void tellStatus(@Nullable ProgressTicker running, String otherwise, Function<ProgressView, String> inWords) {
        if (running == null) {
            tell(LogEvent.STATUS, otherwise);
            return;
        }
        ProgressView view = running.now();
        tell(LogEvent.STATUS, inWords.apply(view), JsonDisplay.progress(view));
    }

    /** Logs an event only if the log is JSON or the user requested a level. */
    void note(LogEvent event, @Nullable String session, @Nullable String peer, String message, JsonObject fields) {
        if (notes()) {
            tell(event, session, peer, message, fields);
        }
    }

    /** Whether the log is JSON or the user requested a level: otherwise nothing of a copy is logged. */
    public boolean notes() {
        return form.json() || form.asked();
    }

    void note(LogEvent event, String message, JsonObject fields) {
        note(event, null, null, message, fields);
    }

    public void watchLanes(SessionActivity session) {
        session.watchLanes(new LaneObserver() {
            @Override
            public void onLane(LaneChange change, int lane, String detail) {
                EventLog.this.onLane(session, change, lane, detail);
            }

            @Override
            public void onCount(int lanes, String why) {
                String message = "session " + session.name() + ": now " + lanes + " lanes: " + why;
                note(
                        LogEvent.LANES_CHANGED,
                        session.name(),
                        session.peer(),
                        message,
                        new JsonObject().with("lanes", lanes).with("reason", why));
            }
        });
    }

    private void onLane(SessionActivity session, LaneObserver.LaneChange change, int lane, String detail) {
        String message = "session " + session.name() + ": lane " + lane + " " + word(change) + detail;
        note(
                eventOf(change),
                session.name(),
                session.peer(),
                message,
                new JsonObject()
                        .with("lane", lane)
                        .with(change == LaneObserver.LaneChange.LOST ? "reason" : "transport", detail));
    }

    private static LogEvent eventOf(LaneObserver.LaneChange change) {
        return switch (change) {
            case JOINED -> LogEvent.LANE_JOINED;
            case LOST -> LogEvent.LANE_LOST;
            case REOPENED -> LogEvent.LANE_REOPENED;
            case REPLACED -> LogEvent.LANE_REPLACED;
        };
    }

    private static String word(LaneObserver.LaneChange change) {
        return switch (change) {
            case JOINED -> "joined: ";
            case LOST -> "lost: ";
            case REOPENED -> "was reopened: ";
            case REPLACED -> "replaced: ";
        };
    }

    private static String human(LogEvent event, String message) {
        String kind = event.shownLevel() == LogLevel.WARN ? "warning: " : "";
        return "fdt: " + kind + Printable.of(message);
    }

    /** Any other message on standard error as a line of the log; null if the level excludes it. */
    private @Nullable String lineOf(LogEvent event, String text) {
        if (!form.level().has(event.level())) {
            return null;
        }
        String message = text.startsWith("fdt: ") ? text.substring("fdt: ".length()) : text;
        return lineOf(event, null, null, message, new JsonObject());
    }

    private String lineOf(
            LogEvent event, @Nullable String session, @Nullable String peer, String message, JsonObject fields) {
        return Printable.json(new JsonObject()
                .with("time", time(now.get()))
                .with("level", event.shownLevel().word())
                .with("event", event.word())
                .with("session", session)
                .with("peer", peer)
                .with("message", message)
                .with(fields)
                .text());
    }
}
