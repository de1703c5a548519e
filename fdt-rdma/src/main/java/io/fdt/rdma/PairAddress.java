package io.fdt.rdma;

import java.nio.ByteBuffer;

/**
 * The address of a queue pair: its port's address in the network, the pair's number, the key of datagrams to it, and
 * the largest packet that its port supports (enum ibv_mtu). Sent to the peer as 28 bytes.
 */
record PairAddress(byte[] gid, int lid, int mtu, int number, int key) {
    private static final int GID_BYTES = 16;
    private static final int BYTES = GID_BYTES + 12;

    byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .put(gid)
                .putShort((short) lid)
                .putShort((short) mtu)
                .putInt(number)
                .putInt(key)
                .array();
    }

    /** Reads an address from a peer, which may be invalid. */
    static PairAddress of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException(
                    "an address of a queue pair has " + BYTES + " bytes, not " + bytes.length);
        }
        ByteBuffer from = ByteBuffer.wrap(bytes);
        byte[] gid = new byte[GID_BYTES];
        from.get(gid);
        int lid = from.getShort() & 0xffff;
        int mtu = from.getShort();
        if (mtu < 1 || mtu > 5) {
            throw new IllegalArgumentException("packets of kind " + mtu + " do not exist");
        }
        return new PairAddress(gid, lid, mtu, from.getInt(), from.getInt());
    }
}
