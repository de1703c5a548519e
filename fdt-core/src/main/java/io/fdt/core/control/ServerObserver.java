package io.fdt.core.control;

import io.fdt.core.digest.Checksums;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.ServedFile;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.core.token.TokenSettings;

/**
 * Receives the events of a server, for its log and for {@code --once}. May be called on any thread; must return soon.
 */
public interface ServerObserver {
    ServerObserver NONE = new ServerObserver() {};

    /** A client was admitted; {@code what} it requested is for display, such as {@code push to /incoming}. */
    default void onSessionStart(String session, String peer, String key, String what) {}

    /** A session has started; it can be observed while it runs. */
    default void onSessionOpen(SessionActivity session) {}

    /** A session has ended, successfully or not. */
    default void onSessionEnd(String session, String peer, String key, Summary summary) {}

    /** Whether {@link #onFile} is to be called. */
    default boolean watchesFiles() {
        return false;
    }

    /** The checksums that {@link #onFile} needs of every file of a copy, besides those that the client requested. */
    default Checksums checksums() {
        return Checksums.NONE;
    }

    /** A file of a copy is in place, was skipped, or failed. On the session's thread. */
    default void onFile(String session, String peer, String key, ServedFile file) {}

    /** A key was added to the home since the server's start. */
    default void onKeyCreated(String name, String id) {}

    /** A key was removed from the home; its sessions are ended. */
    default void onKeyRevoked(String name, String id) {}

    /** The configuration was read again, and says something else about this issuer of tokens. */
    default void onIssuer(String url, TokenSettings.Change change) {}

    default void onWarning(String text) {}

    /** A peer was refused, or does not speak this protocol. */
    default void onRefused(String peer, String why) {}

    /** Called for each refusal: {@link #onRefused} reports only the first ones from an address, and their number. */
    default void onRefusal(Cause cause) {}
}
