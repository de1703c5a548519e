package io.fdt.rdma;

import io.fdt.core.failure.Cause;
import io.fdt.core.transport.ThreadedLane;

/**
 * The settings of lanes over RDMA. Each end has its own; the peer only learns the number and size of the blocks that it
 * may fill.
 *
 * @param hugePages whether to use huge pages for a lane's memory if the host has free ones
 * @param notice how the peer learns of a block
 * @param packetBytes the maximum packet size of queue pairs beside lanes, or 0 for the port's
 */
public record RdmaSettings(Blocks blocks, Waiting waiting, boolean hugePages, Notice notice, int packetBytes) {
    /**
     * The blocks of a lane.
     *
     * @param toSend the most that it has in flight
     * @param toReceive that it grants to its peer
     * @param bytes the size of each; sent data is also limited by the peer's
     * @param signalEvery one in this many sent blocks requests a completion; so does an empty write if a block is
     *     awaited and no completion is due
     */
    public record Blocks(int toSend, int toReceive, int bytes, int signalEvery) {
        public Blocks {
            require(toSend >= 2 && toSend <= MAX_BLOCKS, "blocks to send with are 2 to " + MAX_BLOCKS);
            require(toReceive >= 2 && toReceive <= MAX_BLOCKS, "blocks to receive into are 2 to " + MAX_BLOCKS);
            require(
                    bytes >= MIN_BLOCK_BYTES && bytes <= MAX_BLOCK_BYTES,
                    "blocks have " + MIN_BLOCK_BYTES + " to " + MAX_BLOCK_BYTES + " bytes");
            require(signalEvery >= 1 && signalEvery <= toSend, "one block in 1 to " + toSend + " is signalled");
            require(
                    laneBytes(toSend, toReceive, bytes) <= MAX_LANE_BYTES,
                    "this many blocks of that size need more than 1 GiB per lane");
        }

        /** Returns the distance from one block to the next. */
        public int strideBytes() {
            return strideBytes(bytes);
        }

        private static int strideBytes(int bytes) {
            return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        }

        /**
         * Returns the most host memory that a lane uses, in whole huge pages: its blocks, one more, and the requests.
         */
        public long laneBytes() {
            return laneBytes(toSend, toReceive, bytes);
        }

        private static long laneBytes(int toSend, int toReceive, int bytes) {
            long blocks = (long) (toSend + toReceive + 1) * strideBytes(bytes);
            long needed = blocks + 2L * (toSend + toReceive) * REQUEST_BYTES + OTHER_BYTES;
            return (needed + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
        }
    }

    /**
     * How a lane's thread waits.
     *
     * @param spinUs how long {@link Completions#ADAPTIVE} polls before it sleeps
     */
    public record Waiting(Completions completions, int spinUs) {
        public Waiting {
            require(spinUs >= 0 && spinUs <= 1_000_000, "spinning is for 0 to 1000000 us");
        }
    }

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
    public static final RdmaSettings DEFAULT = new RdmaSettings(
            new Blocks(6, 8, MIN_BLOCK_BYTES, 3),
            new Waiting(Completions.ADAPTIVE, 20),
            true,
            Notice.WITH_THE_WRITE,
            0);

    public RdmaSettings {
        require(
                packetBytes == 0
                        || (Integer.bitCount(packetBytes) == 1
                                && packetBytes >= MIN_PACKET_BYTES
                                && packetBytes <= MAX_PACKET_BYTES),
                "packets have 256, 512, 1024, 2048 or 4096 bytes");
    }

    private static void require(boolean right, String rule) {
        if (!right) {
            throw Cause.USAGE.failure(rule);
        }
    }

    private RdmaSettings with(Blocks of) {
        return new RdmaSettings(of, waiting, hugePages, notice, packetBytes);
    }

    public RdmaSettings withBlockBytes(int bytes) {
        return with(new Blocks(blocks.toSend, blocks.toReceive, bytes, blocks.signalEvery));
    }

    public RdmaSettings withBlocks(int toSend, int toReceive, int everySignalled) {
        return with(new Blocks(toSend, toReceive, blocks.bytes, everySignalled));
    }

    public RdmaSettings withCompletions(Completions completions, int us) {
        return new RdmaSettings(blocks, new Waiting(completions, us), hugePages, notice, packetBytes);
    }

    public RdmaSettings withHugePages(boolean wanted) {
        return new RdmaSettings(blocks, waiting, wanted, notice, packetBytes);
    }

    public RdmaSettings withNotice(Notice of) {
        return new RdmaSettings(blocks, waiting, hugePages, of, packetBytes);
    }

    public RdmaSettings withPacketBytes(int bytes) {
        return new RdmaSettings(blocks, waiting, hugePages, notice, bytes);
    }
}
