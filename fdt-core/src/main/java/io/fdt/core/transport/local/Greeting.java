package io.fdt.core.transport.local;

import java.nio.ByteBuffer;

/**
 * The eight bytes with which a client opens each connection to a server on its host, and with which the server answers:
 * four of magic, the version, a code, two of zero. The code of a shared memory lane is accompanied by the descriptor of
 * the memory.
 */
final class Greeting {
    static final int BYTES = 8;
    static final int VERSION = 1;

    /** The client only checks whether the server listens. */
    static final int LOOK = 1;

    static final int UNIX_LANE = 2;
    static final int SHM_LANE = 3;

    static final int WELCOME = 1;
    static final int REFUSED = 2;

    private static final int MAGIC = 0xfd4c4e45;

    private Greeting() {}

    static ByteBuffer of(int code) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES);
        return bytes.putInt(MAGIC)
                .put((byte) VERSION)
                .put((byte) code)
                .putShort((short) 0)
                .clear();
    }

    /** Whether the eight bytes are a greeting of any version. */
    static boolean isGreeting(ByteBuffer bytes) {
        return bytes.getInt(0) == MAGIC && bytes.getShort(6) == 0;
    }

    static int version(ByteBuffer bytes) {
        return bytes.get(4) & 0xff;
    }

    static int code(ByteBuffer bytes) {
        return bytes.get(5) & 0xff;
    }
}
