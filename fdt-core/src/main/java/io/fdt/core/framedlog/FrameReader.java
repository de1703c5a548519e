package io.fdt.core.framedlog;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@link Frame}s up to the first that is torn or damaged: behind that nothing is believed. Who appends to the log
 * cuts it off there first. Memory grows with the bytes that are there, not with a length that lies. For one thread.
 */
public final class FrameReader {
    private static final int WINDOW_BYTES = 64 << 10;

    private final Source source;
    private final int mostBodyBytes;
    private ByteBuffer window;
    private long position;

    /** Where frames lie. */
    public interface Source {
        /** Fills the buffer from this offset on, short only where the log ends. */
        void read(ByteBuffer into, long offset) throws IOException;
    }

    /**
     * @param window to read into; its content is lost
     * @param position of the first frame
     * @param mostBodyBytes of a frame; one that says more is damaged
     */
    public FrameReader(Source source, ByteBuffer window, long position, int mostBodyBytes) {
        this.source = source;
        this.window = window;
        this.mostBodyBytes = mostBodyBytes;
        seek(position);
    }

    /** Reads a file, which stays open. */
    public FrameReader(FileChannel file, long position, int mostBodyBytes) {
        this((into, at) -> readFully(file, into, at), ByteBuffer.allocate(WINDOW_BYTES), position, mostBodyBytes);
    }

    /** Fills the buffer from this offset of a file on, short only where the file ends. */
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

    /** The next frame's body, valid until the next call; null where no whole frame follows. */
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

    /** False at the end of the log. */
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

    /** Behind the last frame that was read: up to there the log is whole. */
    public long position() {
        return position;
    }

    /** Goes to where a frame begins. */
    public void seek(long offsetBytes) {
        position = offsetBytes;
        window.clear().limit(0);
    }

    /**
     * Whether what follows is the frame that somebody was writing last, and so no loss: it reaches to the log's end, or
     * is only the zeros that a file system leaves after a crash. Goes on from the same place.
     */
    public boolean isTorn(long logBytes) throws IOException {
        long left = logBytes - position;
        ByteBuffer rest = ByteBuffer.allocate((int) Math.min(left, mostBodyBytes));
        source.read(rest, position);
        boolean onlyZeros = left == rest.capacity();
        for (byte each : rest.array()) {
            onlyZeros &= each == 0;
        }
        return onlyZeros || left < Frame.LENGTH_BYTES || rest.getInt(0) >= left - Frame.OVERHEAD_BYTES;
    }
}
