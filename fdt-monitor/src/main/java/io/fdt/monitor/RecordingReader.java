package io.fdt.monitor;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.framedlog.FrameReader;
import io.fdt.monitor.SampleVector.MisfitException;
import io.fdt.monitor.figure.Sample;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads a recording from its beginning, or from a complete sample. It ends at the first invalid frame: one that was
 * being written when a process was killed, or one that is damaged. For one thread.
 */
final class RecordingReader implements AutoCloseable {
    private final FileChannel channel;
    private final RecordingFormat.Decoder decoder = new RecordingFormat.Decoder();
    private final FrameReader frames;
    private byte @Nullable [] facts;

    /**
     * The content of a frame.
     *
     * @param offsetBytes of the frame in the file
     * @param whole whether a reader can start here
     * @param sample null for facts
     */
    record Entry(long offsetBytes, boolean whole, @Nullable Sample sample) {}

    /**
     * Reads from a channel that stays open if this fails.
     *
     * @param name of the file, for messages
     * @throws TransferException USAGE if it is not a recording
     */
    RecordingReader(FileChannel channel, Path name) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(RecordingFormat.HEAD.length);
        FrameReader.readFully(channel, head, 0);
        RecordingFormat.checkHead(Arrays.copyOf(head.array(), head.position()), name.toString());
        this.channel = channel;
        this.frames = new FrameReader(channel, head.capacity(), RecordingFormat.MAX_PAYLOAD_BYTES);
    }

    /** @throws TransferException SOURCE if it cannot be read, USAGE if it is not a recording */
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
            throw FailureKind.SOURCE.failure("there is no recording " + file, missing);
        } catch (IOException e) {
            throw FailureKind.SOURCE.failure(
                    "cannot read the recording " + file + ": " + TransferException.reason(e), e);
        }
    }

    /** Moves to a frame with a complete sample. */
    void seek(long offsetBytes) {
        frames.seek(offsetBytes);
    }

    /** Returns the facts of the last host whose frame was read, as JSON; null before the first. */
    byte @Nullable [] facts() {
        return facts;
    }

    /** Returns the offset after the last valid frame that was read. */
    long wholeBytes() {
        return frames.position();
    }

    /** Whether the rest is only an incomplete last write, so that no data was lost. */
    boolean isTorn() throws IOException {
        return frames.isTorn(channel.size());
    }

    /** Returns the next frame; null after the last valid one. */
    @Nullable Entry next() throws IOException {
        long offset = frames.position();
        ByteBuffer body = frames.next();
        if (body == null) {
            return null;
        }
        byte kind = body.get(0);
        Sample sample = null;
        if (kind == RecordingFormat.FACTS) {
            byte[] json = new byte[body.remaining() - 1];
            body.get(1, json);
            facts = json;
        } else {
            try {
                sample = decoder.decode(body);
            } catch (MisfitException damaged) {
                frames.seek(offset);
                return null;
            }
        }
        return new Entry(offset, kind == RecordingFormat.WHOLE, sample);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
