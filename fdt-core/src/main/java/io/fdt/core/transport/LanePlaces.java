package io.fdt.core.transport;

/** Places the threads of lanes on cores. Supports any number of lanes; each call comes on the thread of the lane. */
public interface LanePlaces {
    /** Leaves the placement to the system. */
    LanePlaces ANYWHERE = number -> {};

    /** Called first on a new thread. Numbers are small: those of ended lanes are reused. */
    void onThread(int number);

    /**
     * The kernel processes the packets of this lane on that core. Called periodically, if the transport can detect it.
     */
    default void onPackets(int number, int core) {}
}
