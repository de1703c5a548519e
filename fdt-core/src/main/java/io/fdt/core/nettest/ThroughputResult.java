package io.fdt.core.nettest;

import io.fdt.core.wire.NettestMessage.HostFacts;
import java.util.List;

/**
 * What a throughput test measured; out is from the client to the server. Immutable.
 *
 * @param transport what carried the lanes, in words
 * @param receiveWay how the received bytes were taken: {@code discard}, {@code copy}, or {@code blocks} where the
 *     lanes' ordinary way was the only one; {@code engine} for the test through everything that copies files
 * @param seconds from the start until everything that was sent had arrived
 * @param whole it came to its end; otherwise the far end's figures are those of its last second
 * @param cpuSecondsRemote of the server's process; not a number where it has not told
 */
public record ThroughputResult(
        String transport,
        String receiveWay,
        HostFacts local,
        HostFacts remote,
        ThroughputPlan plan,
        double seconds,
        boolean whole,
        long bytesOut,
        long bytesIn,
        double cpuSecondsLocal,
        double cpuSecondsRemote,
        List<Stream> perStream,
        List<Core> perCore,
        List<Interval> intervals,
        Verdict verdict)
        implements NettestResult {

    public ThroughputResult {
        perStream = List.copyOf(perStream);
        perCore = List.copyOf(perCore);
        intervals = List.copyOf(intervals);
    }

    public double bitsPerSecondOut() {
        return seconds <= 0 ? 0 : bytesOut * 8 / seconds;
    }

    public double bitsPerSecondIn() {
        return seconds <= 0 ? 0 : bytesIn * 8 / seconds;
    }

    public double bitsPerSecond() {
        return bitsPerSecondOut() + bitsPerSecondIn();
    }

    @Override
    public int streams() {
        return plan.streams();
    }

    @Override
    public List<Headline> headlines() {
        return List.of(Headline.ofRate("out", 0, bitsPerSecondOut()), Headline.ofRate("in", 0, bitsPerSecondIn()));
    }

    /** Processor seconds for a gigabyte, either way. */
    public double perGigabyte(double cpuSeconds) {
        long bytes = bytesOut + bytesIn;
        return bytes == 0 ? 0 : cpuSeconds / (bytes / 1e9);
    }

    /**
     * One lane.
     *
     * @param out from the client to the server
     * @param bytes that its receiver counted, or as many as are known
     * @param retransmits that its sender made
     * @param busyShare of the time that its sender had data under way
     * @param receiverLimitedShare of the time that the receiver's window held the sender back
     * @param bufferLimitedShare of the time that the send buffer held it back
     * @param backlogShare of its receiver's looks that found as much as could be taken at once
     * @param senderCore that the sender's thread ran on last; -1 when unknown
     * @param core that the receiver's thread ran on last; -1 when unknown
     * @param incomingCore that the receiver's kernel worked on its packets on; -1 when unknown
     * @param incomingQueue that kernel's number of the queue that they came through; 0 for none
     */
    public record Stream(
            int stream,
            boolean out,
            long bytes,
            double bitsPerSecond,
            long retransmits,
            int rttUs,
            long cwndBytes,
            long windowBytes,
            long paceBytesPerSecond,
            double busyShare,
            double receiverLimitedShare,
            double bufferLimitedShare,
            double backlogShare,
            int senderCore,
            int core,
            int incomingCore,
            int incomingQueue) {
        private static final int UNKNOWN = -1;

        /** The same of a lane that is not TCP: what only TCP tells is negative, or not a number. */
        Stream withoutTcp() {
            return new Stream(
                    stream,
                    out,
                    bytes,
                    bitsPerSecond,
                    UNKNOWN,
                    UNKNOWN,
                    UNKNOWN,
                    UNKNOWN,
                    UNKNOWN,
                    Double.NaN,
                    Double.NaN,
                    Double.NaN,
                    backlogShare,
                    senderCore,
                    core,
                    incomingCore,
                    incomingQueue);
        }

        public boolean hasTcp() {
            return retransmits >= 0;
        }
    }

    /** Shares of one core's time, from 0 to 1. */
    public record Core(boolean local, int core, double user, double system, double softirq, double other, double idle) {
        public double busy() {
            return 1 - idle;
        }
    }

    /**
     * About a second.
     *
     * @param t seconds since the start, at its end
     * @param retransmits in it, of what the client sends; negative where the lanes are not TCP
     * @param rttUs the mean of the lanes that the client sends on; 0 where unknown, negative where the lanes are not
     * TCP
     * @param perStream bits a second of each lane, as the client counts
     * @param busyLocal the share of each core's time that was not idle
     * @param busyRemote the same of the server, as it said last
     */
    public record Interval(
            double t,
            double bitsPerSecondOut,
            double bitsPerSecondIn,
            long retransmits,
            int rttUs,
            List<Double> perStream,
            List<Double> busyLocal,
            List<Double> busyRemote)
            implements NettestProgress {}
}
