package io.fdt.cli;

import io.fdt.core.FailureKind;
import io.fdt.core.stats.Summary;

/** What a server says: that it is ready on standard output, one line a session and event on standard error. */
final class ServerLog implements ServerObserver {
    private final Console console;
    private final boolean json;
    private final boolean quiet;

    ServerLog(Console console, boolean json, boolean quiet) {
        this.console = console;
        this.json = json;
        this.quiet = quiet;
    }

    /**
     * The port is open.
     *
     * @param onlyTests there are no files to serve
     */
    void onReady(HostPort address, boolean onlyTests) {
        if (onlyTests) {
            message("fdt: no --root: serving only network tests, /dev/zero and /dev/null");
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

    @Override
    public void onSessionStart(String session, String peer, String what) {
        message("fdt: session " + session + " from " + peer + ": " + what);
        if (json) {
            console.data(JsonLine.of("session_start", line -> {
                line.text("session", session);
                line.text("peer", peer);
                line.text("what", what);
            }));
        }
    }

    @Override
    public void onSessionEnd(String session, String peer, Summary summary) {
        FailureKind failure = summary.failure();
        message("fdt: session " + session + " from " + peer + " ended " + SummaryText.outcome(summary) + ": "
                + Figures.count(summary.files(), "file") + ", " + Figures.bytes(summary.bytesSent()) + " moved at "
                + Figures.rate(SummaryText.bitsPerSecond(summary))
                + (failure == null ? "" : "; " + SummaryText.message(summary)));
        if (json) {
            console.data(JsonLine.of("session_end", line -> {
                line.text("peer", peer);
                line.text("message", summary.message());
                JsonDisplay.writeSummary(line, summary);
            }));
        }
    }

    @Override
    public void onWarning(String text) {
        message("fdt: warning: " + text);
        if (json) {
            console.data(JsonLine.of("warning", line -> line.text("message", text)));
        }
    }

    private void message(String line) {
        if (!quiet) {
            console.message(line);
        }
    }
}
