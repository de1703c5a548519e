package io.fdt.core.nettest.objects;

import java.nio.ByteBuffer;

/**
 * Requests and answers on a lane of the test of objects, one at a time. Big-endian:
 *
 * <pre>
 * request: what 1, zeros 3, value length 4, version 8, key, value
 * answer:  how 1, zeros 3, value length 4, version 8, value
 * </pre>
 *
 * Both sides know the length of a key. The answer to a request for the state has four numbers of 8 bytes: stored
 * objects, those of them from before, writes in the log, flushes of the log. The answer to a failed request has a
 * message {@code Failed} of the control channel, which always fits.
 *
 * <p>Only a request to write has a value, and three requests for reading without the server's CPU:
 *
 * <pre>
 * connect:  the address of a queue pair; answered with the address of the server's, preceded by its length 2, and then
 *           for each part of the objects' memory a grant to read it, preceded by its length 2
 * places:   none; the key is that of the first object, the version the number of requested ones. Answered with as many
 *           as fit, for each the part 4, the place in it 4, and its version 8
 * have read: bytes 8; the version is the number of reads, so that both sides count the same
 * </pre>
 */
final class ObjectFrame {
    static final String NEED = "the network test objects needs clear lanes over TCP at both ends; leave out --tls";

    static final int HEADER_BYTES = 16;
    static final int LENGTH = 4;
    static final int VERSION = 8;

    static final byte READ = 1;
    static final byte WRITE = 2;
    static final byte STATE = 3;

    static final byte CONNECT = 4;
    static final byte PLACES = 5;
    static final byte HAVE_READ = 6;

    static final byte DONE = 1;
    static final byte ABSENT = 2;
    static final byte FAILED = 3;

    static final int STATE_BYTES = 32;

    static final int PLACE_BYTES = 16;

    /** The size of a request that does not write. */
    static final int MAX_OTHER_BYTES = 256;

    /** Also for small values, there is room for many places, and for the longest failure. */
    private static final int MIN_VALUE_ROOM_BYTES = 16_384;

    private ObjectFrame() {}

    static void putHead(ByteBuffer frame, byte what, int length, long version) {
        frame.putInt(0, what << 24).putInt(LENGTH, length).putLong(VERSION, version);
    }

    /** The memory for any frame with such keys and values. */
    static int mostBytes(int keyBytes, int mostValueBytes) {
        return HEADER_BYTES + keyBytes + Math.max(MIN_VALUE_ROOM_BYTES, mostValueBytes);
    }
}
