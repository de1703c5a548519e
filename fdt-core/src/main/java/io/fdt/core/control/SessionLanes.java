package io.fdt.core.control;

import org.jspecify.annotations.Nullable;

/** The lanes of a session at the end that opens them. For the session's thread. */
public interface SessionLanes extends AutoCloseable {
    /** Opens the missing lanes below this number, and no longer reopens others. Returns at once. */
    void request(int lanes);

    /** Reopens a lost lane if it is still needed, after a pause that grows with consecutive failures. */
    void openAgain(int lane);

    /** A description of the transport of the lanes; null if none is open. */
    @Nullable String description();

    /** Opens no more. Open lanes are closed by their handlers. */
    @Override
    void close();
}
