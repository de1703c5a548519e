package io.fdt.monitor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A kernel file that is read every second: it stays open, and its bytes are read into a reused buffer and parsed in
 * place. For the sampler's thread.
 */
final class ByteFile implements AutoCloseable {
    private static final int FIRST_BYTES = 512;
    private static final int MAX_BYTES = 16 << 20;

    private final Path path;
    private @Nullable FileChannel channel;
    private ByteBuffer buffer = ByteBuffer.allocate(FIRST_BYTES);
    private byte[] bytes = buffer.array();
    private int at;
    private int end;

    ByteFile(Path path) {
        this.path = path;
    }

    /** Reads the file again; returns false if the host does not show it. */
    boolean read() {
        return read(true);
    }

    /** @param whole false for a file of which one call reads everything, as of those in {@code /sys} */
    private boolean read(boolean whole) {
        at = 0;
        end = 0;
        try {
            FileChannel open = channel;
            if (open == null) {
                open = FileChannel.open(path, StandardOpenOption.READ);
                channel = open;
            }
            buffer.clear();
            while (true) {
                int got = open.read(buffer, buffer.position());
                if (got < 0) {
                    break;
                }
                if (!buffer.hasRemaining()) {
                    grow();
                } else if (!whole) {
                    break;
                }
            }
            end = buffer.position();
            return end > 0;
        } catch (IOException absent) {
            // A file that cannot be read now is opened again next time: a NIC that was removed and added again has new
            // files.
            close();
            return false;
        }
    }

    private void grow() throws IOException {
        if (buffer.capacity() >= MAX_BYTES) {
            throw new IOException(path + " has more than " + MAX_BYTES + " bytes");
        }
        ByteBuffer larger = ByteBuffer.allocate(buffer.capacity() * 4);
        larger.put(buffer.flip());
        buffer = larger;
        bytes = larger.array();
    }

    /** Reads a file of {@code /sys}, and returns the number that it contains, or -1. */
    long number() {
        return read(false) ? nextNumber() : -1;
    }

    boolean atEnd() {
        return at >= end;
    }

    boolean atLineEnd() {
        return at >= end || bytes[at] == '\n';
    }

    void skipBlanks() {
        while (at < end && (bytes[at] == ' ' || bytes[at] == '\t')) {
            at++;
        }
    }

    void skipLine() {
        while (at < end && bytes[at] != '\n') {
            at++;
        }
        at++;
    }

    /** Skips the text if it comes next. */
    boolean skip(String text) {
        if (end - at < text.length() || !isAt(at, text)) {
            return false;
        }
        at += text.length();
        return true;
    }

    /** Skips to the end of the text's next occurrence in this line; returns false if there is none. */
    boolean skipBehind(String text) {
        while (!atLineEnd()) {
            if (skip(text)) {
                return true;
            }
            at++;
        }
        return false;
    }

    /** Returns for each word its place among the remaining words of this line; -1 if it is not there. */
    int[] columnsOf(String... words) {
        int[] columns = new int[words.length];
        Arrays.fill(columns, -1);
        skipBlanks();
        for (int column = 0; !atLineEnd(); column++) {
            int from = at;
            while (at < end && bytes[at] > ' ') {
                at++;
            }
            for (int i = 0; i < words.length; i++) {
                if (words[i].length() == at - from && isAt(from, words[i])) {
                    columns[i] = column;
                }
            }
            skipBlanks();
        }
        return columns;
    }

    private boolean isAt(int from, String text) {
        for (int i = 0; i < text.length(); i++) {
            if (bytes[from + i] != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the next word of this line; empty at its end. */
    String nextWord() {
        skipBlanks();
        int from = at;
        while (at < end && bytes[at] > ' ') {
            at++;
        }
        return new String(bytes, from, at - from, java.nio.charset.StandardCharsets.ISO_8859_1);
    }

    /** Returns the next number of this line; -1, skipping only blanks, if no number comes next. */
    long nextNumber() {
        return next(10);
    }

    /** Returns the next hexadecimal number of this line, like {@link #nextNumber}. */
    long nextHex() {
        return next(16);
    }

    private long next(int radix) {
        skipBlanks();
        int from = at;
        long value = 0;
        while (at < end && Character.digit(bytes[at], radix) >= 0) {
            value = value * radix + Character.digit(bytes[at], radix);
            at++;
        }
        return at == from ? -1 : value;
    }

    @Override
    public void close() {
        FileChannel open = channel;
        channel = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException unreadable) {
                // The channel was only open for reading, so no data can be lost.
            }
        }
    }
}
