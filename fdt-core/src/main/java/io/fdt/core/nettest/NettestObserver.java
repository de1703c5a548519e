package io.fdt.core.nettest;

import io.fdt.core.stats.SessionActivity;

/** Receives the events of a network test. Called on the session's thread; must return soon. */
public interface NettestObserver {
    /** Nobody watches. */
    NettestObserver NONE = new NettestObserver() {};

    /** The lanes are open, and it begins; {@code transport} is what carries the lanes, in words. */
    default void onStart(String session, NettestPlan plan, String transport, String peer) {}

    /** About a second has passed; the figures have the time since the start, {@code t}, and what the suite has. */
    default void onInterval(NamedFigures progress) {}

    /** The session is open; it can be looked at while it runs. */
    default void onActivity(SessionActivity session) {}

    /** Something the operator should know and that does not end the test; one line. */
    default void onWarning(String message) {}
}
