package io.fdt.core.nettest;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.stats.SessionActivity;

/** Receives the events of a network test. Called on the session's thread; must return soon. */
public interface NettestObserver {
    /** An observer that ignores all events. */
    NettestObserver NONE = new NettestObserver() {};

    /** The lanes are open and the test begins; {@code transport} describes the lanes. */
    default void onStart(String session, NettestPlan plan, String transport, String peer) {}

    /** About a second has passed; the figures contain the time since the start, {@code t}, and those of the suite. */
    default void onInterval(JsonObject progress) {}

    /** The session is open and can be observed while it runs. */
    default void onActivity(SessionActivity session) {}

    /** A warning for the operator that does not end the test; one line. */
    default void onWarning(String message) {}
}
