package io.fdt.core.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Writes one CBOR value (RFC 8949). Maps and arrays have indefinite length, so the caller need not count their members.
 */
final class CborWriter {
    static final int POSITIVE = 0;
    static final int NEGATIVE = 1 << 5;
    static final int BYTES = 2 << 5;
    static final int TEXT = 3 << 5;
    static final int ARRAY = 4 << 5;
    static final int MAP = 5 << 5;
    static final int FALSE = 0xf4;
    static final int TRUE = 0xf5;
    static final int NULL = 0xf6;
    static final int END = 0xff;

    /** The additional information after a type: indefinite length, or a number of one, two, four or eight bytes. */
    static final int ENDLESS = 31;

    static final int ONE_BYTE = 24;

    private byte[] out = new byte[256];
    private int length;

    void startMap() {
        put(MAP | ENDLESS);
    }

    void startArray() {
        put(ARRAY | ENDLESS);
    }

    /** Ends a map or an array. */
    void end() {
        put(END);
    }

    /** Writes the name of the next value in a map. */
    void name(String name) {
        text(name);
    }

    void number(long number) {
        if (number < 0) {
            head(NEGATIVE, ~number);
        } else {
            head(POSITIVE, number);
        }
    }

    void numbers(int[] numbers) {
        head(ARRAY, numbers.length);
        for (int number : numbers) {
            number(number);
        }
    }

    void numbers(long[] numbers) {
        head(ARRAY, numbers.length);
        for (long number : numbers) {
            number(number);
        }
    }

    void flag(boolean flag) {
        put(flag ? TRUE : FALSE);
    }

    void none() {
        put(NULL);
    }

    void text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        head(TEXT, bytes.length);
        put(bytes);
    }

    void bytes(byte[] bytes) {
        head(BYTES, bytes.length);
        put(bytes);
    }

    /** A value as {@link CborReader} returns it, except maps. */
    void value(Object value) {
        if (value instanceof Long number) {
            number(number);
        } else if (value instanceof Boolean flag) {
            flag(flag);
        } else if (value instanceof String text) {
            text(text);
        } else if (value instanceof byte[] bytes) {
            bytes(bytes);
        } else if (value instanceof List<?> list) {
            startArray();
            list.forEach(this::value);
            end();
        } else {
            throw new IllegalArgumentException(value.getClass() + " is not written");
        }
    }

    byte[] written() {
        return Arrays.copyOf(out, length);
    }

    private void head(int type, long number) {
        if (number < ONE_BYTE) {
            put(type | (int) number);
        } else if (number <= 0xff) {
            put(type | ONE_BYTE);
            put((int) number);
        } else if (number <= 0xffff) {
            put(type | ONE_BYTE + 1);
            putNumber(number, Short.BYTES);
        } else if (number <= 0xffff_ffffL) {
            put(type | ONE_BYTE + 2);
            putNumber(number, Integer.BYTES);
        } else {
            put(type | ONE_BYTE + 3);
            putNumber(number, Long.BYTES);
        }
    }

    private void putNumber(long number, int bytes) {
        for (int shift = Byte.SIZE * (bytes - 1); shift >= 0; shift -= Byte.SIZE) {
            put((int) (number >>> shift));
        }
    }

    private void put(int value) {
        makeRoom(1);
        out[length++] = (byte) value;
    }

    private void put(byte[] bytes) {
        makeRoom(bytes.length);
        System.arraycopy(bytes, 0, out, length, bytes.length);
        length += bytes.length;
    }

    private void makeRoom(int more) {
        if (out.length - length < more) {
            out = Arrays.copyOf(out, Math.max(2 * out.length, length + more));
        }
    }
}
