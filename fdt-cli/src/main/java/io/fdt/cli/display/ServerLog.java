package io.fdt.cli.display;

import io.fdt.cli.console.Console;
import io.fdt.cli.console.LogEvent;
import io.fdt.cli.value.HostPort;
import io.fdt.core.basic.Figures;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Word;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.failure.Failure;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.core.token.TokenSettings;

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
        log.note(
                LogEvent.SERVER_START,
                "server on " + address + ", fdt " + version,
                new JsonObject()
                        .with("host", address.host())
                        .with("port", address.port())
                        .with("version", version)
                        .with("pid", ProcessHandle.current().pid()));
        if (onlyTests) {
            log.tell(LogEvent.MESSAGE, "no --root: serving only network tests, /dev/zero and /dev/null");
        }
        if (json) {
            console.data(new JsonObject()
                    .with("host", address.host())
                    .with("port", address.port())
                    .line("ready"));
        } else {
            console.data("fdt server ready on " + address);
        }
    }

    /** Called when the server has ended or is about to. */
    public void onStop(int exitCode) {
        log.note(
                LogEvent.SERVER_STOP,
                "server ended, exit code " + exitCode,
                new JsonObject().with("exit_code", exitCode));
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
                new JsonObject().with("what", what).with("key", key));
        if (json) {
            console.data(new JsonObject()
                    .with("session", session)
                    .with("peer", peer)
                    .with("key", key)
                    .with("what", what)
                    .line("session_start"));
        }
    }

    @Override
    public void onSessionEnd(String session, String peer, String key, Summary summary) {
        Failure failure = summary.failure();
        noteResume(log, session, peer, summary);
        log.tell(
                LogEvent.SESSION_END,
                session,
                peer,
                "session " + session + " from " + peer + " with key " + key + SummaryText.ended(summary)
                        + (failure == null ? "" : "; " + failure.text()),
                new JsonObject().with(ended(summary)).with("key", key));
        if (json) {
            console.data(sessionEnd(peer, key, summary));
        }
    }

    /** Returns the line of JSON about a session that has ended. */
    public static byte[] sessionEnd(String peer, String key, Summary summary) {
        return new JsonObject()
                .with("peer", peer)
                .with("key", key)
                .with("message", summary.message())
                .with(JsonDisplay.failureOf(summary))
                .with(JsonDisplay.fields(summary))
                .line("session_end");
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
                    new JsonObject().with("bytes_resumed", summary.bytes().resumed()));
        }
    }

    /** Returns the figures of a summary and the reason of a failure; individual files have their own events. */
    static JsonObject ended(Summary summary) {
        return JsonDisplay.failureOf(summary).with("reason", summary.message()).with(JsonDisplay.figures(summary));
    }

    @Override
    public void onWarning(String text) {
        log.tell(LogEvent.WARNING, text);
        printWarning(text);
    }

    @Override
    public void onRefused(String peer, String why) {
        String text = "refused " + peer + ": " + why;
        log.tell(LogEvent.PEER_REFUSED, null, peer, text, new JsonObject().with("reason", why));
        printWarning(text);
    }

    private void printWarning(String text) {
        if (json) {
            console.data(new JsonObject().with("message", text).line("warning"));
        }
    }

    @Override
    public void onKeyCreated(String name, String id) {
        log.note(LogEvent.KEY_CREATED, "key " + name + " created", ofKey(name, id));
    }

    @Override
    public void onKeyRevoked(String name, String id) {
        log.note(LogEvent.KEY_REVOKED, "key " + name + " revoked", ofKey(name, id));
    }

    @Override
    public void onIssuer(String url, TokenSettings.Change change) {
        LogEvent event = switch (change) {
            case ADDED -> LogEvent.ISSUER_ADDED;
            case CHANGED -> LogEvent.ISSUER_CHANGED;
            case WITHDRAWN -> LogEvent.ISSUER_WITHDRAWN;
        };
        log.note(event, "issuer " + url + " " + Word.of(change), new JsonObject().with("issuer", url));
    }

    private static JsonObject ofKey(String name, String id) {
        return new JsonObject().with("key", name).with("key_id", id);
    }
}
