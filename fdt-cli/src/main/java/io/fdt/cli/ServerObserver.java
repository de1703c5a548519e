package io.fdt.cli;

import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;

/** What happens on a server, for whoever logs it. Called on the sessions' threads; must return soon. */
public interface ServerObserver {
    /**
     * A client was admitted.
     *
     * @param what it asked for, for people: for example {@code push to /incoming}
     */
    void onSessionStart(String session, String peer, String what);

    /** The session of that client, to look at while it runs. */
    default void onSessionOpen(SessionActivity session) {}

    /** A session ended, well or not. */
    void onSessionEnd(String session, String peer, Summary summary);

    /** Something the operator should know, a refused client for example; one line. */
    void onWarning(String message);
}
