package io.fdt.core.control;

import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;

/** What happens on a server, for its log and for {@code --once}. May be called on any thread; must return soon. */
public interface ServerObserver {
    void onSessionStart(String session, String peer, String what);

    /** The session that starts, to look at while it runs. */
    default void onSessionOpen(SessionActivity session) {}

    void onSessionEnd(String session, String peer, Summary summary);

    /** Something that the operator should see to. */
    void onWarning(String text);

    /** Someone came who was not let in, or who does not speak this protocol. */
    void onRefused(String peer, String why);
}
