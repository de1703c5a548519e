package io.fdt.rdma;

/**
 * Which of the peer's blocks this end may fill, and which of its own it has to give back. Blocks are used in turn, so
 * both ways it is only counted. A count goes over the wire as its low 32 bits, from the beginning of the lane; a lost
 * or doubled word changes nothing. The lane's thread only.
 */
final class Credits {
    private final int peerBlocks;
    private final int ownBlocks;
    private long filled;
    private long givenBackByPeer;
    private long told;

    Credits(int peerBlocks, int ownBlocks) {
        this.peerBlocks = peerBlocks;
        this.ownBlocks = ownBlocks;
    }

    int available() {
        return (int) (peerBlocks - (filled - givenBackByPeer));
    }

    int fill() {
        if (available() == 0) {
            throw new IllegalStateException("the other end granted no more blocks");
        }
        return (int) (filled++ % peerBlocks);
    }

    /** The peer's word of how many it has given back; false when it cannot be true. */
    boolean onGivenBack(int lowBits) {
        int more = lowBits - (int) givenBackByPeer;
        if (more < 0 || more > filled - givenBackByPeer) {
            return false;
        }
        givenBackByPeer += more;
        return true;
    }

    /** Whether the peer should be told now: when a quarter of the blocks is free, or, with time to spare, at any. */
    boolean shouldTell(long givenBack, boolean idle) {
        long untold = givenBack - told;
        return untold >= Math.max(1, ownBlocks / 4) || (idle && untold > 0);
    }

    int tell(long givenBack) {
        told = givenBack;
        return (int) givenBack;
    }
}
