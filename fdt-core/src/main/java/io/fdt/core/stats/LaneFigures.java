package io.fdt.core.stats;

/**
 * The network stack's figures of a lane at one moment, and the core on which it runs; -1 where that is not known.
 *
 * @param lookedNanos that moment
 * @param ackedBytes that the peer's stack has received, and {@code retransmits}: from the beginning of the connection
 * @param minRttUs the shortest round trip of late, without queues mostly; 0 where it is not known
 * @param core on which the lane's thread ran when it looked
 * @param incomingCore on which the kernel took the lane's last packet
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
