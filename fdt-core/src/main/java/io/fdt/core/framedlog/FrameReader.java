package io.fdt.core.framedlog;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@link Frame}s up to the first torn or damaged one; everything after it is ignored. A writer truncates the log
 * there before it appends. Memory grows with the bytes that are present, not with a length that a damaged frame claims.
 * For one thread.
 */
public final class FrameReader {
    private static final int WINDOW_BYTES = 64 << 10;

    private final Source source;
    private final int mostBodyBytes;
    private ByteBuffer window;
    private long position;

    /** The bytes of a log. */
    public interface Source {
        /** Fills the buffer from this offset on; fills it only in part if the log ends first. */
        void read(ByteBuffer into, long offset) throws IOException;
    }

    /**
     * @param window the buffer to read into; its content is overwritten
     * @param position the offset of the first frame
     * @param mostBodyBytes the maximum length of a body; a frame that claims more is damaged
     */
    public FrameReader(Source source, ByteBuffer window, long position, int mostBodyBytes) {
        this.source = source;
        this.window = window;
        this.mostBodyBytes = mostBodyBytes;
        this.position = position;
        window.clear().limit(0);
    }

    /** Reads a file, which this reader does not close. */
    public FrameReader(FileChannel file, long position, int mostBodyBytes) {
        this((into, at) -> readFully(file, into, at), ByteBuffer.allocate(WINDOW_BYTES), position, mostBodyBytes);
    }

    /** Fills the buffer from this offset of a file on; fills it only in part if the file ends first. */
    public static void readFully(FileChannel file, ByteBuffer into, long offset) throws IOException {
        long at = offset;
        while (into.hasRemaining()) {
            int count = file.read(into, at);
            if (count < 0) {
                return;
            }
            at += count;
        }
    }

    /** Returns the body of the next frame, valid until the next call; null if no complete frame follows. */
    public @Nullable ByteBuffer next() throws IOException {
        do {
            if (window.remaining() >= Frame.LENGTH_BYTES) {
                int length = window.getInt(window.position());
                if (length < 1 || length > mostBodyBytes) {
                    return null;
                }
                if (length <= window.remaining() - Frame.OVERHEAD_BYTES) {
                    return take(length);
                }
            }
        } while (readMore());
        return null;
    }

    private @Nullable ByteBuffer take(int length) {
        int bodyIndex = window.position() + Frame.LENGTH_BYTES;
        int checksumIndex = bodyIndex + length;
        if (window.getInt(checksumIndex) != Frame.checksum(window, bodyIndex, length)) {
            return null;
        }
        window.position(checksumIndex + Integer.BYTES);
        position += length + Frame.OVERHEAD_BYTES;
        return window.slice(bodyIndex, length);
    }

    /** Returns false at the end of the log. */
    private boolean readMore() throws IOException {
        int before = window.remaining();
        if (before == window.capacity()) {
            window = ByteBuffer.allocate(2 * before).put(window);
        } else {
            window.compact();
        }
        source.read(window, position + before);
        return window.flip().remaining() > before;
    }

    /** Returns the offset after the last valid frame. */
    public long position() {
        return position;
    }
}
