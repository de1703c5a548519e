package io.fdt.rdma;

import io.fdt.core.FailureKind;
import io.fdt.core.transport.ThreadedLane;

/**
 * The settings of lanes over RDMA. Each end has its own; the peer only learns the number and size of the blocks that it
 * may fill.
 *
 * @param sendBlocks the most that a lane has in flight
 * @param receiveBlocks that a lane grants to its peer
 * @param blockBytes the size of each; sent data is also limited by the peer's
 * @param signalEvery one in this many sent blocks requests a completion; so does an empty write if a block is awaited
 *     and no completion is due
 * @param completions how a lane's thread waits
 * @param spinUs how long {@link Completions#ADAPTIVE} polls before it sleeps
 * @param hugePages whether to use huge pages for a lane's memory if the host has free ones
 * @param notice how the peer learns of a block
 * @param packetBytes the maximum packet size of queue pairs beside lanes, or 0 for the port's
 */
public record RdmaSettings(
        int sendBlocks,
        int receiveBlocks,
        int blockBytes,
        int signalEvery,
        Completions completions,
        int spinUs,
        boolean hugePages,
        Notice notice,
        int packetBytes) {
    /** How a lane's thread waits for completions of the device. */
    public enum Completions {
        /** Polls continuously, which occupies a core. */
        BUSY_POLL,
        /** Sleeps until the device causes an interrupt. */
        EVENT,
        /** Polls for a short time, then sleeps. */
        ADAPTIVE
    }

    /** How the peer learns that a block has been written into its memory. Each end understands both. */
    public enum Notice {
        /** With the write itself; on devices that do not support this (iWARP), a message follows anyway. */
        WITH_THE_WRITE,
        /** By a message after the write. */
        BY_MESSAGE
    }

    /** The most blocks that a lane has in flight, or grants. */
    public static final int MAX_BLOCKS = 1024;

    /** The room in a block in addition to whole leaves, for the headers around them. */
    public static final int ROOM_BYTES = 512;

    public static final int MIN_BLOCK_BYTES = ThreadedLane.BLOCK_BYTES;
    public static final int MAX_BLOCK_BYTES = (8 << 20) + ROOM_BYTES;

    private static final long MAX_LANE_BYTES = 1L << 30;
    private static final long HUGE_PAGE_BYTES = 2L << 20;
    private static final int PAGE_BYTES = 4096;
    private static final int MIN_PACKET_BYTES = 256;
    private static final int MAX_PACKET_BYTES = 4096;

    /** The most memory for a request and what belongs to it; below, for everything else. */
    private static final int REQUEST_BYTES = 256;

    private static final int OTHER_BYTES = 8 << 10;

    /** The blocks of both directions and the other memory fit one huge page of 2 MiB. */
    public static final RdmaSettings DEFAULT =
            new RdmaSettings(6, 8, MIN_BLOCK_BYTES, 3, Completions.ADAPTIVE, 20, true, Notice.WITH_THE_WRITE, 0);

    public RdmaSettings {
        require(sendBlocks >= 2 && sendBlocks <= MAX_BLOCKS, "blocks to send with are 2 to " + MAX_BLOCKS);
        require(receiveBlocks >= 2 && receiveBlocks <= MAX_BLOCKS, "blocks to receive into are 2 to " + MAX_BLOCKS);
        require(
                blockBytes >= MIN_BLOCK_BYTES && blockBytes <= MAX_BLOCK_BYTES,
                "blocks have " + MIN_BLOCK_BYTES + " to " + MAX_BLOCK_BYTES + " bytes");
        require(signalEvery >= 1 && signalEvery <= sendBlocks, "one block in 1 to " + sendBlocks + " is signalled");
        require(spinUs >= 0 && spinUs <= 1_000_000, "spinning is for 0 to 1000000 us");
        require(
                packetBytes == 0
                        || (Integer.bitCount(packetBytes) == 1
                                && packetBytes >= MIN_PACKET_BYTES
                                && packetBytes <= MAX_PACKET_BYTES),
                "packets have 256, 512, 1024, 2048 or 4096 bytes");
        require(
                laneBytes(sendBlocks, receiveBlocks, blockBytes) <= MAX_LANE_BYTES,
                "this many blocks of that size need more than 1 GiB per lane");
    }

    private static void require(boolean right, String rule) {
        if (!right) {
            throw FailureKind.USAGE.failure(rule);
        }
    }

    /** Returns the distance from one block to the next. */
    public int strideBytes() {
        return strideBytes(blockBytes);
    }

    private static int strideBytes(int blockBytes) {
        return (blockBytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }

    /** Returns the most host memory that a lane uses, in whole huge pages: its blocks, one more, and the requests. */
    public long laneBytes() {
        return laneBytes(sendBlocks, receiveBlocks, blockBytes);
    }

    private static long laneBytes(int sendBlocks, int receiveBlocks, int blockBytes) {
        long blocks = (long) (sendBlocks + receiveBlocks + 1) * strideBytes(blockBytes);
        long needed = blocks + 2L * (sendBlocks + receiveBlocks) * REQUEST_BYTES + OTHER_BYTES;
        return (needed + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    }

    public RdmaSettings withBlocks(int toSend, int toReceive, int everySignalled) {
        return new RdmaSettings(
                toSend, toReceive, blockBytes, everySignalled, completions, spinUs, hugePages, notice, packetBytes);
    }

    public RdmaSettings withBlockBytes(int bytes) {
        return new RdmaSettings(
                sendBlocks, receiveBlocks, bytes, signalEvery, completions, spinUs, hugePages, notice, packetBytes);
    }

    public RdmaSettings withCompletions(Completions waiting, int us) {
        return new RdmaSettings(
                sendBlocks, receiveBlocks, blockBytes, signalEvery, waiting, us, hugePages, notice, packetBytes);
    }

    public RdmaSettings withHugePages(boolean wanted) {
        return new RdmaSettings(
                sendBlocks, receiveBlocks, blockBytes, signalEvery, completions, spinUs, wanted, notice, packetBytes);
    }

    public RdmaSettings withNotice(Notice of) {
        return new RdmaSettings(
                sendBlocks, receiveBlocks, blockBytes, signalEvery, completions, spinUs, hugePages, of, packetBytes);
    }

    public RdmaSettings withPacketBytes(int bytes) {
        return new RdmaSettings(
                sendBlocks, receiveBlocks, blockBytes, signalEvery, completions, spinUs, hugePages, notice, bytes);
    }
}
