package io.fdt.core.control;

import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;

/** What happens on a server, for its log and for {@code --once}. May be called on any thread; must return soon. */
public interface ServerObserver {
    /** Nobody watches. */
    ServerObserver NONE = new ServerObserver() {};

    /** A client was admitted; {@code what} it asked for is for people, such as {@code push to /incoming}. */
    default void onSessionStart(String session, String peer, String key, String what) {}

    /** The session that starts, to look at while it runs. */
    default void onSessionOpen(SessionActivity session) {}

    /** A session ended, well or not. */
    default void onSessionEnd(String session, String peer, String key, Summary summary) {}

    /** Whether {@link #onFile} is to be called. */
    default boolean watchesFiles() {
        return false;
    }

    /** A file of a copy is in place, was skipped, or failed. On the session's thread. */
    default void onFile(String session, String peer, String key, ServedFile file) {}

    /** A key has come into the home since the server's start. */
    default void onKeyCreated(String name, String id) {}

    /** A key has gone from the home; sessions of it are ended. */
    default void onKeyRevoked(String name, String id) {}

    /** Something that the operator should see to. */
    default void onWarning(String text) {}

    /** Someone came who was not let in, or who does not speak this protocol. */
    default void onRefused(String peer, String why) {}

    /** The same, each time: of many from one address {@link #onRefused} tells the first and how many there were. */
    default void onRefusal() {}
}
