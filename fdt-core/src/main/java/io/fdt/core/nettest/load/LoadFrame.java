package io.fdt.core.nettest.load;

import io.fdt.core.nettest.NettestValue;
import java.nio.ByteBuffer;

/**
 * The messages of the load suite: all of one length, with data only at their beginning. A request contains its number,
 * which its answer repeats. A turn is sent when no request is in flight: it contains the buffers to use from now on,
 * and its answer what the server has counted since the previous turn.
 */
final class LoadFrame {
    static final byte REQUEST = 1;
    static final byte TURN = 2;

    static final int NUMBER = 4;

    /** Repeated in the answer. */
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
                && buffers <= NettestValue.MAX_BUFFERS
                && (long) buffers * sizeBytes <= LoadSuite.MAX_POOL_BYTES;
    }
}
