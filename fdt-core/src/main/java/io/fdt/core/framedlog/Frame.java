package io.fdt.core.framedlog;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The layout of a record in a log. Big-endian:
 *
 * <pre>
 * length 4 of the body, at least 1; body; CRC32C of the body 4
 * </pre>
 *
 * Files on disk have this format, so it never changes. Stateless and thread-safe.
 */
public final class Frame {
    /** The size of a frame without its body. */
    public static final int OVERHEAD_BYTES = 8;

    static final int LENGTH_BYTES = 4;

    private Frame() {}

    public static byte[] of(byte[] body) {
        ByteBuffer frame = ByteBuffer.allocate(body.length + OVERHEAD_BYTES);
        begin(frame);
        end(frame.put(body), 0);
        return frame.array();
    }

    /**
     * Begins a frame at the buffer's position, and returns the start to pass to {@link #end}. The caller then puts the
     * body.
     */
    public static int begin(ByteBuffer frames) {
        int start = frames.position();
        frames.position(start + LENGTH_BYTES);
        return start;
    }

    /** Ends the frame that begins at {@code start} and whose body ends at the buffer's position. */
    public static void end(ByteBuffer frames, int start) {
        int bodyIndex = start + LENGTH_BYTES;
        int length = frames.position() - bodyIndex;
        frames.putInt(start, length);
        frames.putInt(checksum(frames, bodyIndex, length));
    }

    /** Returns the CRC32C of a range of the buffer. */
    public static int checksum(ByteBuffer bytes, int index, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.slice(index, length));
        return (int) crc.getValue();
    }
}
