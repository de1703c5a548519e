package io.fdt.core.stats;

import io.fdt.core.basic.HostView;
import org.jspecify.annotations.Nullable;

/** The host at the other end of a session, for observers. Thread-safe; no call blocks. */
public interface PeerHost {
    /** The host of a peer that does not report its figures. */
    PeerHost SILENT = new PeerHost() {};

    /** Whether the other end has gone although it is needed; it may return. */
    default boolean isGone() {
        return false;
    }

    /** Requests the peer's figures and what its lanes do. Call it every second for as long as they are needed. */
    default void ask() {}

    /** Returns the latest figures; null if there are no recent ones. */
    default @Nullable HostView view() {
        return null;
    }

    /** Returns what the lanes of the other end spent most of the last ten seconds on; null if unknown. */
    default Bottleneck.@Nullable Share share() {
        return null;
    }
}
