package io.fdt.core.transport;

/**
 * What the network stack knows of one connection, counted from its beginning. Zero where it does not say.
 *
 * @param windowBytes that the receiver offers
 * @param paceBytesPerSecond that the stack lets out at most; 0 for no limit
 * @param busyUs with data to send
 * @param receiverLimitedUs of that, held back by the receiver's window
 * @param bufferLimitedUs of that, held back by the send buffer
 */
public record StreamFigures(
        long retransmits,
        int rttUs,
        long cwndBytes,
        long windowBytes,
        long paceBytesPerSecond,
        long busyUs,
        long receiverLimitedUs,
        long bufferLimitedUs) {}
