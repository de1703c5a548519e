package io.fdt.core.stats;

/** Receives the events of a session's lanes. Called on any thread, lanes' own among them; must return at once. */
public interface LaneObserver {
    /** Nobody watches. */
    LaneObserver NONE = (change, lane, detail) -> {};

    /** The detail is the reason why a lane was lost; of all others what carries it, in words. */
    void onLane(LaneChange change, int lane, String detail);

    /** The session continues with another number of lanes, for this reason in words. */
    default void onCount(int lanes, String why) {}

    enum LaneChange {
        JOINED,
        /** It ended while its session went on, and not in order. */
        LOST,
        /** In the place of one that was lost. */
        REOPENED,
        /** In the place of one that was ended in order, to go another way. */
        REPLACED
    }
}
