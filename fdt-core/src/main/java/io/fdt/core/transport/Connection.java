package io.fdt.core.transport;

import io.fdt.core.stats.StreamFigures;
import org.jspecify.annotations.Nullable;

/**
 * The network connection under a lane, as the host's stack knows it. Unless said otherwise a method must be called on
 * the lane's thread.
 */
public interface Connection {
    /** Of a lane that is no connection of a network, or one of which the host's stack knows nothing. */
    Connection NONE = new Connection() {};

    /** The addresses and ports by which the network knows it. Any thread; null where it has none. */
    default Lane.@Nullable Ends ends() {
        return null;
    }

    /** The stack's figures; null where it tells nothing. */
    default @Nullable StreamFigures figures() {
        return null;
    }

    /** Whether the stack has BBR for it, and nobody has chosen its congestion control. Any thread. */
    default boolean mayUseBbr() {
        return false;
    }

    /** Goes on with BBR, or with the congestion control that it began with. */
    default void useBbr(boolean wish) {}

    /** Sends no faster than this from here on, spaced evenly, where the stack can do that. */
    default void pace(long bytesPerSecond) {}
}
