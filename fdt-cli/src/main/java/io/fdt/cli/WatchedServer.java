package io.fdt.cli;

import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;

/** Shows a server's sessions to a monitor, too. */
record WatchedServer(ServerObserver log, Monitoring monitoring) implements ServerObserver {
    @Override
    public void onSessionOpen(SessionActivity session) {
        monitoring.observe(session);
    }

    @Override
    public void onSessionStart(String session, String peer, String what) {
        log.onSessionStart(session, peer, what);
    }

    @Override
    public void onSessionEnd(String session, String peer, Summary summary) {
        log.onSessionEnd(session, peer, summary);
    }

    @Override
    public void onWarning(String message) {
        log.onWarning(message);
    }
}
