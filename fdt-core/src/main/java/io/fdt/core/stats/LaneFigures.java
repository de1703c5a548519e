package io.fdt.core.stats;

/**
 * The network stack's figures of a lane at one moment, and the cores that it uses; -1 for a figure that is not known.
 *
 * @param lookedNanos that moment
 * @param ackedBytes received by the peer's stack since the connection began; {@code retransmits} also counts from there
 * @param minRttUs the shortest recent round trip, mostly without queueing; 0 if not known
 * @param core on which the lane's thread ran at that moment
 * @param incomingCore on which the kernel processed the lane's last packet
 */
public record LaneFigures(
        long lookedNanos,
        long ackedBytes,
        long retransmits,
        long rttUs,
        long minRttUs,
        long cwndBytes,
        long windowBytes,
        int core,
        int incomingCore) {}
