package io.fdt.core.nettest.load;

import io.fdt.core.nettest.PlanValue;
import java.nio.ByteBuffer;

/**
 * The messages of the test under load: all of one length, of which only the beginning says anything. A request has its
 * number, which its answer repeats. A turn comes when no request is under way: it says which buffers may be used from
 * here on, and its answer what the server has counted since the turn before.
 */
final class LoadFrame {
    static final byte REQUEST = 1;
    static final byte TURN = 2;

    static final int NUMBER = 4;

    /** What an answer repeats. */
    static final int HEAD_BYTES = 8;

    /** In a turn. */
    static final int RX_BUFFERS = 8;

    static final int TX_BUFFERS = 12;

    private LoadFrame() {}

    static void putHead(ByteBuffer memory, int index, byte kind, int number) {
        memory.putInt(index, kind << 24).putInt(index + NUMBER, number);
    }

    static byte kind(ByteBuffer memory, int index) {
        return memory.get(index);
    }

    static int number(ByteBuffer memory, int index) {
        return memory.getInt(index + NUMBER);
    }

    /** Whether a pool may have this many buffers. */
    static boolean isPool(int buffers, int sizeBytes) {
        return buffers >= 1
                && buffers <= PlanValue.MAX_BUFFERS
                && (long) buffers * sizeBytes <= PlanValue.MAX_POOL_BYTES;
    }
}
