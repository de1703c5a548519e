package io.fdt.core.stats;

/**
 * What the network stack says of a lane at one moment, and where it runs; -1 where that is not known.
 *
 * @param retransmits counted from the beginning of the connection
 * @param core on which the lane's thread ran when it looked
 * @param incomingCore on which the kernel took the lane's last packet
 */
public record LaneFigures(long retransmits, long rttUs, long cwndBytes, long windowBytes, int core, int incomingCore) {}
