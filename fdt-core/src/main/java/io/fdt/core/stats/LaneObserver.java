package io.fdt.core.stats;

/**
 * Receives the events of a session's lanes, and the flushes of what they wrote. Called on any thread, including the
 * lanes' own threads; must return at once.
 */
public interface LaneObserver {
    /**
     * Called for a change of a lane. The detail of a lost lane is the reason; of any other, a description of its
     * transport.
     */
    void onLane(LaneChange change, int lane, String detail);

    /** Called when the session continues with another number of lanes; {@code why} is the reason as text. */
    default void onCount(int lanes, String why) {}

    /** Called after a flush, which took this long. */
    default void onFlush(long nanos, int chunks) {}

    enum LaneChange {
        JOINED,
        /** The lane failed while its session continues. */
        LOST,
        /** The lane was opened in place of a lost one. */
        REOPENED,
        /** The lane was opened in place of one that was closed to use another path. */
        REPLACED
    }
}
