package io.fdt.rdma;

import java.nio.ByteBuffer;

/**
 * How a queue pair is reached: the port's address in its network, the pair's number, the key that datagrams to it bear,
 * and the largest packet that its port takes (enum ibv_mtu). 28 bytes when told to the peer.
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

    /** What a peer has told; it need not make sense. */
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
