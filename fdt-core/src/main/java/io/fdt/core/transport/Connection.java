package io.fdt.core.transport;

import io.fdt.core.stats.StreamFigures;
import org.jspecify.annotations.Nullable;

/**
 * The network connection under a lane, as the host's network stack sees it. Unless stated otherwise, methods must be
 * called on the lane's thread.
 */
public interface Connection {
    /** For a lane that is not a network connection, or of which the network stack has no figures. */
    Connection NONE = new Connection() {};

    /** The addresses and ports of the connection; null if it has none. Thread-safe. */
    default Lane.@Nullable Ends ends() {
        return null;
    }

    /** The network stack's figures; null if there are none. */
    default @Nullable StreamFigures figures() {
        return null;
    }

    /** Whether the stack supports BBR for it, and the user has not chosen a congestion control. Thread-safe. */
    default boolean mayUseBbr() {
        return false;
    }

    /** Changes to BBR, or back to the initial congestion control. */
    default void useBbr(boolean wish) {}

    /** Limits the sending rate from now on, with even spacing, if the stack supports it. */
    default void pace(long bytesPerSecond) {}
}
