package io.fdt.core.transport;

/**
 * Where the threads of lanes run. Any number of lanes at a time; each call comes on the thread of the lane it is about.
 */
public interface LanePlaces {
    /** Wherever the system lets them. */
    LanePlaces ANYWHERE = number -> {};

    /** The thread begins, and has done nothing yet. Numbers are small: one of a lane that ended is used again. */
    void onThread(int number);

    /**
     * The kernel works on the packets of this lane on that core. Comes from time to time, where the transport can tell.
     */
    default void onPackets(int number, int core) {}
}
