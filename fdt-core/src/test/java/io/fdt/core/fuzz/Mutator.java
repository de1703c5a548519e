package io.fdt.core.fuzz;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Small random damages, to plain bytes and to text. They depend only on the generator. */
public final class Mutator {
    private static final int MAX_BYTES = 1 << 16;
    private static final int[] BYTES = {0, 1, 0x7F, 0x80, 0xFF, '\n', '/', '.', ' ', '=', '"'};
    private static final long[] NUMBERS = {
        0,
        1,
        -1,
        Byte.MAX_VALUE,
        Short.MAX_VALUE,
        0xFFFF,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        0xFFFFFFFFL,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        Long.MAX_VALUE - 1,
        1L << 17,
        (1L << 17) - 1,
        1L << 23,
        (1L << 23) + 1
    };

    private Mutator() {}

    /** Damages a sample one to four times. */
    public static byte[] bytes(byte[] sample, byte[] other, SplittableRandom random) {
        byte[] bytes = sample;
        for (int change = random.nextInt(4); change >= 0; change--) {
            bytes = once(bytes, other, random);
        }
        return bytes.length <= MAX_BYTES ? bytes : Arrays.copyOf(bytes, MAX_BYTES);
    }

    private static byte[] once(byte[] bytes, byte[] other, SplittableRandom random) {
        if (bytes.length == 0) {
            return other.length > 0 ? other.clone() : new byte[] {(byte) random.nextInt()};
        }
        int at = random.nextInt(bytes.length);
        return switch (random.nextInt(9)) {
            case 0 -> set(bytes, at, bytes[at] ^ 1 << random.nextInt(8));
            case 1 -> set(bytes, at, BYTES[random.nextInt(BYTES.length)]);
            case 2 -> set(bytes, at, random.nextInt());
            case 3 -> Arrays.copyOf(bytes, at);
            case 4 -> insert(bytes, at, random(1 + random.nextInt(16), random));
            case 5 -> cut(bytes, at, at + 1 + random.nextInt(Math.min(64, bytes.length - at)));
            case 6 -> repeat(bytes, at, random);
            case 7 -> splice(bytes, at, other, random);
            default -> number(bytes, at, random);
        };
    }

    private static byte[] set(byte[] bytes, int at, int value) {
        byte[] changed = bytes.clone();
        changed[at] = (byte) value;
        return changed;
    }

    public static byte[] insert(byte[] bytes, int at, byte[] more) {
        return replace(bytes, at, at, more);
    }

    public static byte[] cut(byte[] bytes, int from, int to) {
        return replace(bytes, from, to, new byte[0]);
    }

    public static byte[] replace(byte[] bytes, int from, int to, byte[] by) {
        return ByteBuffer.allocate(bytes.length - (to - from) + by.length)
                .put(bytes, 0, from)
                .put(by)
                .put(bytes, to, bytes.length - to)
                .array();
    }

    private static byte[] random(int length, SplittableRandom random) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] repeat(byte[] bytes, int at, SplittableRandom random) {
        int length = 1 + random.nextInt(Math.min(128, bytes.length - at));
        byte[] slice = Arrays.copyOfRange(bytes, at, at + length);
        byte[] changed = bytes;
        for (int times = 1 << random.nextInt(7); times > 0; times--) {
            changed = insert(changed, at, slice);
        }
        return changed;
    }

    private static byte[] splice(byte[] bytes, int at, byte[] other, SplittableRandom random) {
        int from = random.nextInt(other.length + 1);
        return ByteBuffer.allocate(at + other.length - from)
                .put(bytes, 0, at)
                .put(other, from, other.length - from)
                .array();
    }

    /** Replaces two, four or eight bytes by a number at a boundary. */
    private static byte[] number(byte[] bytes, int at, SplittableRandom random) {
        int width = 2 << random.nextInt(3);
        if (bytes.length < width) {
            return set(bytes, at, BYTES[random.nextInt(BYTES.length)]);
        }
        int aligned = random.nextBoolean() ? at / width * width : at;
        int place = Math.min(aligned, bytes.length - width);
        byte[] changed = bytes.clone();
        ByteBuffer buffer = ByteBuffer.wrap(changed);
        long number = NUMBERS[random.nextInt(NUMBERS.length)];
        switch (width) {
            case 2 -> buffer.putShort(place, (short) number);
            case 4 -> buffer.putInt(place, (int) number);
            default -> buffer.putLong(place, number);
        }
        return changed;
    }

    static long number(SplittableRandom random) {
        return NUMBERS[random.nextInt(NUMBERS.length)];
    }

    /** Damages like {@link #bytes}, or inserts a word of the text's own syntax, sometimes in place of other bytes. */
    public static byte[] text(byte[] sample, byte[] other, List<String> words, SplittableRandom random) {
        if (random.nextInt(3) == 0) {
            return bytes(sample, other, random);
        }
        byte[] bytes = sample;
        for (int change = random.nextInt(3); change >= 0; change--) {
            int at = random.nextInt(bytes.length + 1);
            int to = random.nextBoolean() ? at : at + random.nextInt(Math.min(24, bytes.length - at) + 1);
            byte[] word = words.get(random.nextInt(words.size())).getBytes(StandardCharsets.UTF_8);
            bytes = replace(bytes, at, to, word);
        }
        return bytes;
    }
}
