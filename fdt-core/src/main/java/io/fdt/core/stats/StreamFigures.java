package io.fdt.core.stats;

/**
 * The network stack's figures of one connection, counted from its beginning. Zero where it does not say.
 *
 * @param ackedBytes that the receiver's stack has, of those that were sent
 * @param minRttUs the shortest round trip of late
 * @param windowBytes that the receiver offers
 * @param paceBytesPerSecond that the stack lets out at most; 0 for no limit
 * @param busyUs with data to send
 * @param receiverLimitedUs of that, held back by the receiver's window
 * @param bufferLimitedUs of that, held back by the send buffer
 * @param core that the lane's thread runs on now; -1 when unknown
 * @param incomingCore that the kernel worked on its last packets on; -1 when unknown
 * @param incomingQueue the kernel's number (NAPI id) of the NIC's queue that they came through; 0 for none
 * @param timeouts that have had the stack send the same again since the peer's last answer
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
