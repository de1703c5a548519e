package io.fdt.cli.display;

import io.fdt.cli.console.Console;
import io.fdt.cli.console.LogEvent;
import io.fdt.cli.value.HostPort;
import io.fdt.core.FailureKind;
import io.fdt.core.Figures;
import io.fdt.core.JsonLine;
import io.fdt.core.Word;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import java.io.IOException;

/**
 * Reports on a server: readiness on standard output, and events in the log; with JSON, sessions on standard output as
 * well.
 */
public record ServerLog(Console console, boolean json, EventLog log) implements ServerObserver {
    /**
     * Called when the port is open.
     *
     * @param onlyTests whether there are no files to serve
     */
    public void onReady(HostPort address, boolean onlyTests, String version) {
        log.note(LogEvent.SERVER_START, "server on " + address + ", fdt " + version, line -> {
            line.text("host", address.host());
            line.number("port", address.port());
            line.text("version", version);
            line.number("pid", ProcessHandle.current().pid());
        });
        if (onlyTests) {
            log.tell(LogEvent.MESSAGE, "no --root: serving only network tests, /dev/zero and /dev/null");
        }
        if (json) {
            console.data(JsonLine.of("ready", line -> {
                line.text("host", address.host());
                line.number("port", address.port());
            }));
        } else {
            console.data("fdt server ready on " + address);
        }
    }

    /** Called when the server has ended or is about to. */
    public void onStop(int exitCode) {
        log.note(
                LogEvent.SERVER_STOP,
                "server ended, exit code " + exitCode,
                line -> line.number("exit_code", exitCode));
    }

    @Override
    public void onSessionOpen(SessionActivity session) {
        log.watchLanes(session);
    }

    @Override
    public void onSessionStart(String session, String peer, String key, String what) {
        log.tell(
                LogEvent.SESSION_START,
                session,
                peer,
                "session " + session + " from " + peer + " with key " + key + ": " + what,
                line -> {
                    line.text("what", what);
                    line.text("key", key);
                });
        if (json) {
            console.data(JsonLine.of("session_start", line -> {
                line.text("session", session);
                line.text("peer", peer);
                line.text("key", key);
                line.text("what", what);
            }));
        }
    }

    @Override
    public void onSessionEnd(String session, String peer, String key, Summary summary) {
        FailureKind failure = summary.failure();
        noteResume(log, session, peer, summary);
        log.tell(
                LogEvent.SESSION_END,
                session,
                peer,
                "session " + session + " from " + peer + " with key " + key + SummaryText.ended(summary)
                        + (failure == null ? "" : "; " + SummaryText.message(summary)),
                line -> {
                    writeEnd(line, summary);
                    line.text("key", key);
                });
        if (json) {
            console.data(sessionEnd(peer, key, summary));
        }
    }

    /** Returns the line of JSON about a session that has ended. */
    public static byte[] sessionEnd(String peer, String key, Summary summary) {
        return JsonLine.of("session_end", line -> {
            line.text("peer", peer);
            line.text("key", key);
            line.text("message", summary.message());
            JsonDisplay.writeSummary(line, summary);
        });
    }

    /** Logs how much data from an earlier session was resumed. */
    static void noteResume(EventLog log, String session, String peer, Summary summary) {
        if (summary.bytes().resumed() > 0) {
            log.note(
                    LogEvent.RESUME,
                    session,
                    peer,
                    "session " + session + ": " + Figures.bytes(summary.bytes().resumed())
                            + " resumed from an earlier session",
                    line -> line.number("bytes_resumed", summary.bytes().resumed()));
        }
    }

    /** Writes the figures of a summary and the reason of a failure; individual files have their own events. */
    static void writeEnd(JsonLine line, Summary summary) throws IOException {
        FailureKind failure = summary.failure();
        line.text("failure", failure == null ? null : Word.of(failure));
        line.text("reason", summary.message());
        JsonDisplay.writeFigures(line, summary);
    }

    @Override
    public void onWarning(String text) {
        log.tell(LogEvent.WARNING, text);
        tellWarning(text);
    }

    @Override
    public void onRefused(String peer, String why) {
        String text = "refused " + peer + ": " + why;
        log.tell(LogEvent.PEER_REFUSED, null, peer, text, line -> line.text("reason", why));
        tellWarning(text);
    }

    private void tellWarning(String text) {
        if (json) {
            console.data(JsonLine.of("warning", line -> line.text("message", text)));
        }
    }

    @Override
    public void onKeyCreated(String name, String id) {
        log.note(LogEvent.KEY_CREATED, "key " + name + " created", line -> writeKey(line, name, id));
    }

    @Override
    public void onKeyRevoked(String name, String id) {
        log.note(LogEvent.KEY_REVOKED, "key " + name + " revoked", line -> writeKey(line, name, id));
    }

    private static void writeKey(JsonLine line, String name, String id) throws IOException {
        line.text("key", name);
        line.text("key_id", id);
    }
}
