package io.fdt.core.stats;

/**
 * The network stack's figures of one connection, counted from its beginning. Zero if the stack does not provide a
 * figure.
 *
 * @param ackedBytes sent and acknowledged by the receiver's stack
 * @param timeouts consecutive retransmission timeouts since the peer's last answer
 */
public record StreamFigures(
        long ackedBytes,
        long retransmits,
        int timeouts,
        RoundTrip roundTrip,
        Windows windows,
        SendTime time,
        LanePlace place) {
    /** @param minUs the shortest recent one */
    public record RoundTrip(int us, long minUs) {
        public static final RoundTrip NONE = new RoundTrip(0, 0);
    }

    /**
     * What bounds the data in flight, and its rate.
     *
     * @param receiverBytes that the receiver offers
     * @param paceBytesPerSecond the stack's limit on the rate; 0 for none
     */
    public record Windows(long congestionBytes, long receiverBytes, long paceBytesPerSecond) {
        public static final Windows NONE = new Windows(0, 0, 0);
    }

    /**
     * The time with data to send.
     *
     * @param receiverLimitedUs of that, limited by the receiver's window
     * @param bufferLimitedUs of that, limited by the send buffer
     */
    public record SendTime(long busyUs, long receiverLimitedUs, long bufferLimitedUs) {
        public static final SendTime NONE = new SendTime(0, 0, 0);
    }

    /** The figures of a connection that shows none. */
    public static final StreamFigures NONE =
            new StreamFigures(0, 0, 0, RoundTrip.NONE, Windows.NONE, SendTime.NONE, LanePlace.UNKNOWN);
}
