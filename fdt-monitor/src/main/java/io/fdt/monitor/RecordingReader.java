package io.fdt.monitor;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.monitor.SampleVector.MisfitException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads a recording from its beginning, or from a sample that stands by itself. It ends where the file is whole no more: what was
 * being written when a process was killed, or what a disk damaged. For one thread.
 */
final class RecordingReader implements AutoCloseable {
    private final FileChannel channel;
    private final RecordingFormat.Decoder decoder = new RecordingFormat.Decoder();
    private long position = RecordingFormat.HEAD.length;
    private byte @Nullable [] facts;

    /**
     * What stands in a frame.
     *
     * @param offsetBytes of the frame in the file
     * @param whole whether a reader can begin here
     * @param sample null for facts
     */
    record Entry(long offsetBytes, boolean whole, @Nullable Sample sample) {}

    /**
     * Reads from a channel that stays open if this fails.
     *
     * @param name of the file, for messages
     * @throws TransferException USAGE when it is no recording
     */
    RecordingReader(FileChannel channel, Path name) throws IOException {
        byte[] head = new byte[RecordingFormat.HEAD.length];
        int known = head.length - 1;
        boolean complete = readFully(channel, ByteBuffer.wrap(head), 0) == head.length;
        if (!complete || !Arrays.equals(head, 0, known, RecordingFormat.HEAD, 0, known)) {
            throw new TransferException(FailureKind.USAGE, name + " is no recording of --record");
        }
        if (head[known] != RecordingFormat.HEAD[known]) {
            throw new TransferException(
                    FailureKind.USAGE,
                    name + " is a recording of version " + head[known] + ", and this fdt knows version "
                            + RecordingFormat.HEAD[known]);
        }
        this.channel = channel;
    }

    /** @throws TransferException SOURCE when it cannot be read, USAGE when it is no recording */
    static RecordingReader open(Path file) {
        try {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
            try {
                return new RecordingReader(channel, file);
            } catch (IOException | TransferException unfit) {
                channel.close();
                throw unfit;
            }
        } catch (NoSuchFileException missing) {
            throw new TransferException(FailureKind.SOURCE, "there is no recording " + file, missing);
        } catch (IOException e) {
            throw new TransferException(
                    FailureKind.SOURCE, "cannot read the recording " + file + ": " + e.getMessage(), e);
        }
    }

    /** Goes to a frame that stands by itself. */
    void seek(long offsetBytes) {
        position = offsetBytes;
    }

    /** What the last host whose frame was passed is, as JSON; null before the first. */
    byte @Nullable [] facts() {
        return facts;
    }

    /** Up to where the file is whole, as far as it has been read. */
    long wholeBytes() {
        return position;
    }

    /**
     * Whether what follows is the frame that somebody was writing last, and so no loss: it reaches to the file's end, or is only
     * the zeros that a file system leaves after a crash.
     */
    boolean isTorn() throws IOException {
        long left = channel.size() - position;
        ByteBuffer rest = ByteBuffer.allocate((int) Math.min(left, RecordingFormat.MAX_PAYLOAD_BYTES));
        readFully(channel, rest, position);
        boolean onlyZeros = true;
        for (byte each : rest.array()) {
            onlyZeros &= each == 0;
        }
        return left < Integer.BYTES
                || (onlyZeros && left == rest.capacity())
                || rest.getInt(0) >= left - RecordingFormat.FRAME_OVERHEAD_BYTES;
    }

    /** The next frame; null at the end of what is whole. */
    @Nullable Entry next() throws IOException {
        byte[] payload = payload();
        if (payload == null) {
            return null;
        }
        long offset = position;
        Sample sample = null;
        if (payload[0] == RecordingFormat.FACTS) {
            facts = Arrays.copyOfRange(payload, 1, payload.length);
        } else {
            try {
                sample = decoder.decode(payload);
            } catch (MisfitException damaged) {
                return null;
            }
        }
        position += payload.length + RecordingFormat.FRAME_OVERHEAD_BYTES;
        return new Entry(offset, payload[0] == RecordingFormat.WHOLE, sample);
    }

    private byte @Nullable [] payload() throws IOException {
        ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
        if (readFully(channel, length, position) < Integer.BYTES) {
            return null;
        }
        int bytes = length.getInt(0);
        if (bytes < 1 || bytes > RecordingFormat.MAX_PAYLOAD_BYTES || bytes > channel.size() - position) {
            return null;
        }
        ByteBuffer frame = ByteBuffer.allocate(bytes + Integer.BYTES);
        if (readFully(channel, frame, position + Integer.BYTES) < frame.capacity()) {
            return null;
        }
        byte[] payload = Arrays.copyOf(frame.array(), bytes);
        CRC32C crc = new CRC32C();
        crc.update(payload);
        return (int) crc.getValue() == frame.getInt(bytes) ? payload : null;
    }

    private static int readFully(FileChannel channel, ByteBuffer into, long from) throws IOException {
        int read = 0;
        while (into.hasRemaining()) {
            int more = channel.read(into, from + read);
            if (more < 0) {
                return read;
            }
            read += more;
        }
        return read;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
