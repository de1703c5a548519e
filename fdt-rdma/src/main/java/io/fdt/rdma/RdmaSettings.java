package io.fdt.rdma;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;

/**
 * What can be set on lanes over RDMA. Each end has its own; the peer learns only how many blocks it may fill.
 *
 * @param sendBlocks a lane has on their way at once
 * @param receiveBlocks a lane grants its peer
 * @param signalEvery so many blocks sent ask for a completion; besides, whenever all are under way and one is waited for
 * @param completions how a lane's thread waits
 * @param spinUs how long {@link Completions#ADAPTIVE} asks again and again before it sleeps
 * @param hugePages a lane's memory is in huge pages where the host has any free
 * @param notice how the peer learns of a block
 */
public record RdmaSettings(
        int sendBlocks,
        int receiveBlocks,
        int signalEvery,
        Completions completions,
        int spinUs,
        boolean hugePages,
        Notice notice) {
    /** How a lane's thread waits for what the device has done. */
    public enum Completions {
        /** It asks again and again, and keeps a core to itself. */
        BUSY_POLL,
        /** It sleeps until the device interrupts. */
        EVENT,
        /** It asks for a short while, then sleeps. */
        ADAPTIVE
    }

    /** How the peer learns that a block has been written into its memory. It understands both. */
    public enum Notice {
        /** The write bears it; where the device has no such writes (iWARP), a message follows all the same. */
        WITH_THE_WRITE,
        /** A message follows the write. */
        BY_MESSAGE
    }

    private static final int MOST_BLOCKS = 1024;

    /** The blocks of both ways and what goes around them fill one huge page of 2 MiB. */
    public static final RdmaSettings DEFAULT =
            new RdmaSettings(6, 8, 3, Completions.ADAPTIVE, 20, true, Notice.WITH_THE_WRITE);

    public RdmaSettings {
        require(sendBlocks >= 2 && sendBlocks <= MOST_BLOCKS, "blocks to send with are 2 to " + MOST_BLOCKS);
        require(receiveBlocks >= 2 && receiveBlocks <= MOST_BLOCKS, "blocks to receive into are 2 to " + MOST_BLOCKS);
        require(signalEvery >= 1 && signalEvery <= sendBlocks, "one block in 1 to " + sendBlocks + " is signalled");
        require(spinUs >= 0 && spinUs <= 1_000_000, "spinning is for 0 to 1000000 us");
    }

    private static void require(boolean right, String rule) {
        if (!right) {
            throw new TransferException(FailureKind.USAGE, rule);
        }
    }
}
