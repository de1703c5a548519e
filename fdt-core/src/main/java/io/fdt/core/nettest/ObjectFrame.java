package io.fdt.core.nettest;

/**
 * Requests and answers on a lane of the test of objects, one at a time. Big-endian:
 *
 * <pre>
 * request: what 1, zeros 3, value length 4, version 8, key, value
 * answer:  how 1, zeros 3, value length 4, version 8, value
 * </pre>
 *
 * Both sides know the length of a key. Only a request to write has a value. The answer to a request for the state has four
 * numbers of 8 bytes: objects held, of these from before, writes in the log, flushes of the log. That of a request that failed
 * has the message in UTF-8, and the failure's exit code as its version.
 */
final class ObjectFrame {
    static final int HEADER_BYTES = 16;
    static final int LENGTH = 4;
    static final int VERSION = 8;

    static final byte READ = 1;
    static final byte WRITE = 2;
    static final byte STATE = 3;

    static final byte DONE = 1;
    static final byte ABSENT = 2;
    static final byte FAILED = 3;

    static final int STATE_BYTES = 32;

    /** A message that is longer is cut. */
    static final int MAX_MESSAGE_BYTES = 512;

    private ObjectFrame() {}

    /** Memory that any frame with such keys and values fits into. */
    static int mostBytes(int keyBytes, int[] sizes) {
        int most = MAX_MESSAGE_BYTES;
        for (int size : sizes) {
            most = Math.max(most, size);
        }
        return HEADER_BYTES + keyBytes + most;
    }
}
