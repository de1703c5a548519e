package io.fdt.monitor;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lines of a recording: JSON lines, compressed as gzip members that can each be read alone. It ends at the
 * first byte that is not valid: a member that was being written when a process was killed, or a damaged one. For one
 * thread.
 */
final class RecordingReader implements AutoCloseable {
    static final int MAX_LINE_BYTES = 32 << 20;

    private static final int WINDOW_BYTES = 64 << 10;
    private static final int HEADER_BYTES = 10;
    private static final int TRAILER_BYTES = 8;
    private static final byte[] MAGIC = {0x1f, (byte) 0x8b, 8};
    private static final int BEGUN_CHARS = 12;
    private static final int FLAG_CHECKSUM = 2;
    private static final int FLAG_EXTRA = 4;
    private static final int FLAG_NAME = 8;
    private static final int FLAG_COMMENT = 16;

    private final FileChannel channel;
    private final Inflater inflater = new Inflater(true);
    private final CRC32 checksum = new CRC32();
    /** The bytes of the file before {@code readBytes}, from its position on. */
    private final ByteBuffer window = ByteBuffer.allocate(WINDOW_BYTES).limit(0).order(ByteOrder.LITTLE_ENDIAN);

    private final byte[] text = new byte[WINDOW_BYTES];
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private int textAt;
    private int textEnd;
    private long readBytes;
    private boolean inMember;
    private long memberBytes;
    private long deflatedBytes;
    private long wholeBytes;
    private boolean torn;
    private boolean over;

    /**
     * Reads from a channel that stays open if this fails.
     *
     * @param name of the file, for messages
     * @throws TransferException USAGE if it is not a recording
     */
    RecordingReader(FileChannel channel, Path name) throws IOException {
        this.channel = channel;
        byte[] first = next();
        if (first == null ? !isBegun() : RecordedLine.parse(first) == null) {
            inflater.end();
            throw Cause.USAGE.failure(name + " is not a recording of --record");
        }
        seek(0);
    }

    /** Whether it is a recording whose first write was cut short. */
    private boolean isBegun() {
        String begun = line.toString(StandardCharsets.UTF_8);
        String expected = RecordedLine.facts("");
        return torn && wholeBytes == 0 && expected.regionMatches(0, begun, 0, Math.min(begun.length(), BEGUN_CHARS));
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
            throw Cause.MISSING.failure("there is no recording " + file, missing);
        } catch (IOException e) {
            throw TransferException.causeOfReading(e)
                    .failure("cannot read the recording " + file + ": " + TransferException.reason(e), e);
        }
    }

    void seek(long offsetBytes) {
        readBytes = offsetBytes;
        wholeBytes = offsetBytes;
        window.limit(0);
        line.reset();
        textAt = 0;
        textEnd = 0;
        inMember = false;
        torn = false;
        over = false;
    }

    /** Returns the offset of the member that the last line ended in. */
    long memberBytes() {
        return memberBytes;
    }

    /** Returns the offset after the last valid member that was read. */
    long wholeBytes() {
        return wholeBytes;
    }

    /** Whether the rest is only an incomplete last write, so that no data was lost. Valid after the last line. */
    boolean isTorn() {
        return torn;
    }

    /** Returns the next line, without its newline; null after the last valid one. */
    byte @Nullable [] next() throws IOException {
        while (true) {
            for (int i = textAt; i < textEnd; i++) {
                if (text[i] == '\n') {
                    line.write(text, textAt, i - textAt);
                    textAt = i + 1;
                    byte[] read = line.toByteArray();
                    line.reset();
                    return read;
                }
            }
            line.write(text, textAt, textEnd - textAt);
            textAt = 0;
            textEnd = 0;
            if (line.size() > MAX_LINE_BYTES || over || !inflateMore()) {
                over = true;
                return null;
            }
        }
    }

    /** Returns false at the end of what is valid. */
    private boolean inflateMore() throws IOException {
        if (!inMember && !beginMember()) {
            return false;
        }
        long before = inflater.getBytesWritten();
        try {
            textEnd = inflater.inflate(text);
        } catch (DataFormatException damaged) {
            over = true;
            torn = isZeroFrom(deflatedBytes + inflater.getBytesRead());
            // The text up to here is valid.
            textEnd = (int) (inflater.getBytesWritten() - before);
        }
        checksum.update(text, 0, textEnd);
        if (textEnd > 0) {
            return true;
        }
        if (inflater.finished()) {
            return endMember();
        }
        if (over || inflater.needsDictionary() || window.hasRemaining()) {
            return false;
        }
        if (!fill(1)) {
            torn = true;
            return false;
        }
        inflater.setInput(window);
        return true;
    }

    private boolean beginMember() throws IOException {
        memberBytes = readBytes - window.remaining();
        boolean whole = fill(HEADER_BYTES);
        for (int i = 0; i < Math.min(MAGIC.length, window.remaining()); i++) {
            if (window.get(window.position() + i) != MAGIC[i]) {
                torn = memberBytes > 0 && isZeroFrom(memberBytes);
                return false;
            }
        }
        torn = !whole && window.hasRemaining();
        if (!whole) {
            return false;
        }
        int flags = window.get(window.position() + 3);
        window.position(window.position() + HEADER_BYTES);
        whole = ((flags & FLAG_EXTRA) == 0 || skipExtra())
                && ((flags & FLAG_NAME) == 0 || skipText())
                && ((flags & FLAG_COMMENT) == 0 || skipText())
                && ((flags & FLAG_CHECKSUM) == 0 || skip(2));
        torn = !whole;
        if (whole) {
            inMember = true;
            deflatedBytes = readBytes - window.remaining();
            inflater.reset();
            checksum.reset();
            inflater.setInput(window);
        }
        return whole;
    }

    private boolean skipExtra() throws IOException {
        return fill(2) && skip(Short.toUnsignedInt(window.getShort()));
    }

    private boolean skipText() throws IOException {
        while (fill(1)) {
            if (window.get() == 0) {
                return true;
            }
        }
        return false;
    }

    private boolean skip(int count) throws IOException {
        for (int left = count; left > 0; left--) {
            if (!fill(1)) {
                return false;
            }
            window.get();
        }
        return true;
    }

    private boolean endMember() throws IOException {
        inMember = false;
        if (!fill(TRAILER_BYTES)) {
            torn = true;
            return false;
        }
        boolean valid =
                window.getInt() == (int) checksum.getValue() && window.getInt() == (int) inflater.getBytesWritten();
        if (valid) {
            wholeBytes = readBytes - window.remaining();
        }
        return valid;
    }

    /** Reads until the window has this many bytes; false if the file ends before. */
    private boolean fill(int count) throws IOException {
        if (window.remaining() < count) {
            window.compact();
            while (window.position() < count) {
                int read = channel.read(window, readBytes);
                if (read < 0) {
                    break;
                }
                readBytes += read;
            }
            window.flip();
        }
        return window.remaining() >= count;
    }

    /** A power cut may leave zeros at the end of a file. The bytes before them are an incomplete write. */
    private boolean isZeroFrom(long offset) throws IOException {
        ByteBuffer piece = ByteBuffer.allocate(WINDOW_BYTES);
        for (long at = offset; channel.read(piece.clear(), at) > 0; at += piece.limit()) {
            piece.flip();
            while (piece.hasRemaining()) {
                if (piece.get() != 0) {
                    return false;
                }
            }
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        channel.close();
    }
}
