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

    /** Changes to BBR, or back to the initial congestion control. */
    default void useBbr(boolean wish) {}

    /** Limits the sending rate from now on, with even spacing, if the stack supports it. */
    default void pace(long bytesPerSecond) {}
}
