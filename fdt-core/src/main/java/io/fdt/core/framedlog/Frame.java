package io.fdt.core.framedlog;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * How a record lies in a log. Big-endian:
 *
 * <pre>
 * length 4 of the body, at least 1; body; CRC32C of the body 4
 * </pre>
 *
 * Files have this format, so it never changes. Stateless, for any thread.
 */
public final class Frame {
    /** What a frame takes besides its body. */
    public static final int OVERHEAD_BYTES = 8;

    static final int LENGTH_BYTES = 4;

    private Frame() {}

    public static byte[] of(byte[] body) {
        ByteBuffer frame = ByteBuffer.allocate(body.length + OVERHEAD_BYTES);
        begin(frame);
        end(frame.put(body), 0);
        return frame.array();
    }

    /** Begins a frame where the buffer is; the place that {@link #end} asks for. The body is put behind this. */
    public static int begin(ByteBuffer frames) {
        int start = frames.position();
        frames.position(start + LENGTH_BYTES);
        return start;
    }

    /** Ends the frame that began there, whose body reaches to where the buffer is. */
    public static void end(ByteBuffer frames, int start) {
        int bodyIndex = start + LENGTH_BYTES;
        int length = frames.position() - bodyIndex;
        frames.putInt(start, length);
        frames.putInt(checksum(frames, bodyIndex, length));
    }

    /** The CRC32C of some bytes of a buffer. */
    public static int checksum(ByteBuffer bytes, int index, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.slice(index, length));
        return (int) crc.getValue();
    }
}
