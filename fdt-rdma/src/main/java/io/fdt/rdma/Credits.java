package io.fdt.rdma;

/**
 * Counts which of the peer's blocks this end may fill, and which of its own it has to give back. Blocks are used in
 * turn, so counts are enough in both directions. A count is sent as its low 32 bits, starting from 0 with the lane, so
 * lost or repeated messages do no harm. For the lane's thread.
 */
final class Credits {
    private final int peerBlocks;
    private final int ownBlocks;
    private long filled;
    private long givenBackByPeer;
    private long announced;

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

    /** Processes the peer's count of blocks given back; returns false if it is impossible. */
    boolean onGivenBack(int lowBits) {
        int more = lowBits - (int) givenBackByPeer;
        if (more < 0 || more > filled - givenBackByPeer) {
            return false;
        }
        givenBackByPeer += more;
        return true;
    }

    /** Whether to send the count to the peer now: if at least a quarter of the blocks is free, or, while idle, any. */
    boolean shouldTell(long givenBack, boolean idle) {
        long unannounced = givenBack - announced;
        return unannounced >= Math.max(1, ownBlocks / 4) || (idle && unannounced > 0);
    }

    int announce(long givenBack) {
        announced = givenBack;
        return (int) givenBack;
    }
}
