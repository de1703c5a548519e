package io.fdt.core.stats;

/**
 * The place of a lane at its last sample.
 *
 * @param core on which its thread runs; -1 if unknown
 * @param incomingCore on which the kernel processed its last packets; -1 if unknown
 * @param incomingQueue the kernel's number (NAPI id) of their NIC queue; 0 for none
 */
public record LanePlace(int core, int incomingCore, int incomingQueue) {
    public static final LanePlace UNKNOWN = new LanePlace(-1, -1, 0);
}
