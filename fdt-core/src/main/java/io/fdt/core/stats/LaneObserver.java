package io.fdt.core.stats;

/**
 * Receives the events of a session's lanes. Called on any thread, including the lanes' own threads; must return at
 * once.
 */
public interface LaneObserver {
    LaneObserver NONE = (change, lane, detail) -> {};

    /**
     * Called for a change of a lane. The detail of a lost lane is the reason; of any other, a description of its
     * transport.
     */
    void onLane(LaneChange change, int lane, String detail);

    /** Called when the session continues with another number of lanes; {@code why} is the reason as text. */
    default void onCount(int lanes, String why) {}

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
