package io.fdt.core.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads one CBOR value (RFC 8949) into plain Java values: {@code Long}, {@code String}, {@code byte[]}, {@code
 * Boolean}, {@code List}, {@code Map} and null. Rejects tags, floating point, and names that are not text or come
 * twice. Depth and number of values are bounded here, everything else by the length of the message.
 */
final class CborReader {
    private static final int MAX_DEPTH = 8;
    private static final int MAX_VALUES = 4 * Bounds.MAX_LIST;
    private static final int TYPE = 7 << 5;
    private static final int NO_MORE = -1;

    private final ByteBuffer in;
    private int depth;
    private int values;

    private CborReader(byte[] message) {
        this.in = ByteBuffer.wrap(message);
    }

    static @Nullable Object read(byte[] message) throws IOException {
        if (message.length > Bounds.MAX_MESSAGE_BYTES) {
            throw new IOException("more than " + Bounds.MAX_MESSAGE_BYTES + " bytes");
        }
        CborReader reader = new CborReader(message);
        Object value = reader.value(reader.next());
        if (reader.in.hasRemaining()) {
            throw new IOException("bytes after the message's end");
        }
        return value;
    }

    /** Returns the first field of a map, which must have this name and be a number. */
    static long firstNumber(byte[] message, String name) throws IOException {
        CborReader reader = new CborReader(message);
        int map = reader.next();
        int head = reader.next();
        if ((map & TYPE) == CborWriter.MAP
                && (head & TYPE) == CborWriter.TEXT
                && (head & ~TYPE) == name.length()
                && reader.text(head).equals(name)) {
            int value = reader.next();
            if ((value & TYPE) == CborWriter.POSITIVE) {
                return reader.number(value & ~TYPE);
            }
        }
        throw new IOException("it does not begin with its code");
    }

    /** Counts the values and checks their form, without keeping any. */
    static int countValues(byte[] message) throws IOException {
        if (message.length > Bounds.MAX_MESSAGE_BYTES) {
            throw new IOException("more than " + Bounds.MAX_MESSAGE_BYTES + " bytes");
        }
        CborReader reader = new CborReader(message);
        reader.skip(reader.next());
        return reader.values;
    }

    private void skip(int head) throws IOException {
        if (++values > MAX_VALUES) {
            throw new IOException("more than " + MAX_VALUES + " values");
        }
        int detail = head & ~TYPE;
        switch (head & TYPE) {
            case CborWriter.POSITIVE, CborWriter.NEGATIVE -> number(detail);
            case CborWriter.BYTES, CborWriter.TEXT -> skipBytes(head);
            case CborWriter.ARRAY -> {
                Members members = new Members(detail);
                for (int each = members.next(); each != NO_MORE; each = members.next()) {
                    skip(each);
                }
            }
            case CborWriter.MAP -> {
                Members members = new Members(detail);
                for (int each = members.next(); each != NO_MORE; each = members.next()) {
                    skip(each);
                    skip(next());
                }
            }
            default -> simple(head);
        }
    }

    private void skipBytes(int head) throws IOException {
        if ((head & ~TYPE) != CborWriter.ENDLESS) {
            skipPiece(head);
            return;
        }
        for (int next = next(); next != CborWriter.END; next = next()) {
            // Each piece is an object for a moment.
            values++;
            skipPiece(next);
        }
    }

    private void skipPiece(int head) throws IOException {
        long length = number(head & ~TYPE);
        require(length);
        in.position(in.position() + (int) length);
    }

    private int next() throws IOException {
        return require(1).get() & 0xff;
    }

    private ByteBuffer require(long bytes) throws IOException {
        if (in.remaining() < bytes) {
            throw new IOException("the message ends too early");
        }
        return in;
    }

    private @Nullable Object value(int head) throws IOException {
        if (++values > MAX_VALUES) {
            throw new IOException("more than " + MAX_VALUES + " values");
        }
        int detail = head & ~TYPE;
        return switch (head & TYPE) {
            case CborWriter.POSITIVE -> number(detail);
            case CborWriter.NEGATIVE -> ~number(detail);
            case CborWriter.BYTES -> bytes(head);
            case CborWriter.TEXT -> text(head);
            case CborWriter.ARRAY -> list(detail);
            case CborWriter.MAP -> map(detail);
            default -> simple(head);
        };
    }

    private static @Nullable Boolean simple(int head) throws IOException {
        return switch (head) {
            case CborWriter.FALSE -> false;
            case CborWriter.TRUE -> true;
            case CborWriter.NULL -> null;
            default -> throw new IOException("unexpected byte " + head);
        };
    }

    private long number(int detail) throws IOException {
        long number = switch (detail) {
            case CborWriter.ONE_BYTE -> next();
            case CborWriter.ONE_BYTE + 1 -> require(Short.BYTES).getShort() & 0xffff;
            case CborWriter.ONE_BYTE + 2 ->
                Integer.toUnsignedLong(require(Integer.BYTES).getInt());
            case CborWriter.ONE_BYTE + 3 -> require(Long.BYTES).getLong();
            default -> detail;
        };
        if (number < 0 || detail > CborWriter.ONE_BYTE + 3) {
            throw new IOException("a number out of range");
        }
        return number;
    }

    private String text(int head) throws IOException {
        byte[] bytes = bytes(head);
        // Names and most values; a decoder costs several times as much as they do.
        return isAscii(bytes)
                ? new String(bytes, StandardCharsets.ISO_8859_1)
                : StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes))
                        .toString();
    }

    private static boolean isAscii(byte[] bytes) {
        for (byte each : bytes) {
            if (each < 0) {
                return false;
            }
        }
        return true;
    }

    /** Reads a string of definite length, or the segments of one of indefinite length. */
    private byte[] bytes(int head) throws IOException {
        if ((head & ~TYPE) != CborWriter.ENDLESS) {
            return piece(head);
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int next = next(); next != CborWriter.END; next = next()) {
            if ((next & TYPE) != (head & TYPE)) {
                throw new IOException("pieces of different types");
            }
            all.writeBytes(piece(next));
        }
        return all.toByteArray();
    }

    private byte[] piece(int head) throws IOException {
        long length = number(head & ~TYPE);
        require(length);
        byte[] bytes = new byte[(int) length];
        in.get(bytes);
        return bytes;
    }

    /** The first byte of each member of an array or map, of definite or indefinite length. */
    private final class Members {
        private final boolean endless;
        private long left;

        Members(int detail) throws IOException {
            endless = detail == CborWriter.ENDLESS;
            left = endless ? 0 : number(detail);
            if (++depth > MAX_DEPTH) {
                throw new IOException("nested deeper than " + MAX_DEPTH);
            }
        }

        /** Returns {@link #NO_MORE} after the last member. */
        int next() throws IOException {
            if (endless || left-- > 0) {
                int head = CborReader.this.next();
                if (!endless || head != CborWriter.END) {
                    return head;
                }
            }
            depth--;
            return NO_MORE;
        }
    }

    private List<@Nullable Object> list(int detail) throws IOException {
        List<@Nullable Object> list = new ArrayList<>();
        Members members = new Members(detail);
        for (int head = members.next(); head != NO_MORE; head = members.next()) {
            list.add(value(head));
        }
        return list;
    }

    private Map<String, @Nullable Object> map(int detail) throws IOException {
        Map<String, @Nullable Object> map = new HashMap<>();
        Members members = new Members(detail);
        for (int head = members.next(); head != NO_MORE; head = members.next()) {
            if ((head & TYPE) != CborWriter.TEXT) {
                throw new IOException("a map without names");
            }
            int names = map.size();
            map.put(text(head), value(next()));
            if (map.size() == names) {
                throw new IOException("a name twice");
            }
        }
        return map;
    }
}
