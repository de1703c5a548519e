package io.fdt.core.stats;

/**
 * The network stack's figures of one connection, counted from its beginning. Zero if the stack does not provide a
 * figure.
 *
 * @param ackedBytes sent and acknowledged by the receiver's stack
 * @param minRttUs the shortest recent round trip
 * @param windowBytes that the receiver offers
 * @param paceBytesPerSecond the stack's limit on the rate; 0 for none
 * @param busyUs with data to send
 * @param receiverLimitedUs of that, limited by the receiver's window
 * @param bufferLimitedUs of that, limited by the send buffer
 * @param core on which the lane's thread runs now; -1 if unknown
 * @param incomingCore on which the kernel processed its last packets; -1 if unknown
 * @param incomingQueue the kernel's number (NAPI id) of their NIC queue; 0 for none
 * @param timeouts consecutive retransmission timeouts since the peer's last answer
 */
public record StreamFigures(
        long ackedBytes,
        long retransmits,
        int rttUs,
        long minRttUs,
        long cwndBytes,
        long windowBytes,
        long paceBytesPerSecond,
        long busyUs,
        long receiverLimitedUs,
        long bufferLimitedUs,
        int core,
        int incomingCore,
        int incomingQueue,
        int timeouts) {}
