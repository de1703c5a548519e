package io.fdt.core.fuzz;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A mutator that damages CBOR item by item, so that most results are still CBOR and get past the parser: other types,
 * numbers at boundaries, wrong lengths, indefinite lengths, nesting, tags, floats, big numbers, and items that are
 * repeated, missing or from another message.
 */
public final class CborMutator {
    private static final int UNSIGNED = 0;
    private static final int BYTES = 2;
    private static final int TEXT = 3;
    private static final int ARRAY = 4;
    private static final int MAP = 5;
    private static final int INDEFINITE = 31;
    private static final int MAX_ITEMS = 4096;

    /** Whole items of every type, including types that do not fit the place. */
    private static final byte[][] ITEMS = {
        {0x00},
        {0x20},
        {0x40},
        {0x60},
        {(byte) 0x80},
        {(byte) 0xA0},
        {(byte) 0xF4},
        {(byte) 0xF5},
        {(byte) 0xF6},
        {(byte) 0xF7},
        {(byte) 0xF0},
        {(byte) 0xF8, (byte) 0xFF},
        {(byte) 0xF9, 0x7E, 0x00},
        {(byte) 0xF9, 0x3C, 0x00},
        {(byte) 0xFA, 0x7F, (byte) 0x80, 0, 0},
        {(byte) 0xFB, 0x43, (byte) 0xE0, 0, 0, 0, 0, 0, 0},
        {0x1B, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF},
        {0x3B, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF},
        {(byte) 0xC2, 0x49, 1, 0, 0, 0, 0, 0, 0, 0, 0},
        {(byte) 0xC3, 0x41, 5},
        {(byte) 0xC2, 0x40},
        {(byte) 0xC4, (byte) 0x82, 0x1B, 0x7F, -1, -1, -1, -1, -1, -1, -1, 1},
        {0x63, (byte) 0xED, (byte) 0xA0, (byte) 0x80},
        {0x64, (byte) 0xF0, (byte) 0x9F, (byte) 0x98, (byte) 0x80},
        {0x62, 0x1B, 0x5B},
        {0x61, (byte) 0xFF},
        {0x5F, 0x41, 'a', 0x41, 0x00, (byte) 0xFF},
        {0x7F, 0x61, 'a', 0x61, 'b', (byte) 0xFF},
        {(byte) 0x9F, (byte) 0xFF},
        {(byte) 0xBF, (byte) 0xFF},
        {(byte) 0xBF, 0x61, 't', 0x07, (byte) 0xFF},
        {(byte) 0xFF},
        {0x1C},
        {0x5E},
        {(byte) 0xD8, 0x19, 0x00},
        {(byte) 0xD9, 0x01, 0x00, (byte) 0x80},
        {(byte) 0xDB, 0x7F, -1, -1, -1, -1, -1, -1, -1, 0x01}
    };

    private CborMutator() {}

    /** One item: where its head and its content begin, and where it ends with everything inside it. */
    private record Item(int start, int content, int end, int major) {}

    /** Damages a sample one to four times; bytes that are not CBOR are damaged as bytes. */
    public static byte[] mutate(byte[] sample, byte[] other, SplittableRandom random) {
        byte[] bytes = sample;
        for (int change = random.nextInt(4); change >= 0; change--) {
            List<Item> items = items(bytes);
            bytes = items.isEmpty() || random.nextInt(8) == 0
                    ? Mutator.bytes(bytes, other, random)
                    : once(bytes, items, other, random);
        }
        return bytes;
    }

    private static byte[] once(byte[] bytes, List<Item> items, byte[] other, SplittableRandom random) {
        Item item = items.get(random.nextInt(items.size()));
        return switch (random.nextInt(10)) {
            case 0, 1 -> Mutator.replace(bytes, item.start, item.end, ITEMS[random.nextInt(ITEMS.length)]);
            case 2, 3 -> Mutator.replace(bytes, item.start, item.end, number(Mutator.number(random)));
            case 4 -> lie(bytes, item, random);
            case 5 -> Mutator.cut(bytes, item.start, item.end);
            case 6 -> repeat(bytes, item, random);
            case 7 -> nest(bytes, item, random);
            case 8 -> indefinite(bytes, item);
            default -> swap(bytes, item, other, random);
        };
    }

    private static byte[] number(long value) {
        return value >= 0 ? head(UNSIGNED, value) : head(1, ~value);
    }

    private static byte[] head(int major, long argument) {
        int type = major << 5;
        if (argument >= 0 && argument < 24) {
            return new byte[] {(byte) (type | argument)};
        }
        if (argument >= 0 && argument <= 0xFFFF) {
            return ByteBuffer.allocate(3)
                    .put((byte) (type | 25))
                    .putShort((short) argument)
                    .array();
        }
        return ByteBuffer.allocate(9).put((byte) (type | 27)).putLong(argument).array();
    }

    /** Makes the item's head claim another length than the item has. */
    private static byte[] lie(byte[] bytes, Item item, SplittableRandom random) {
        long length = random.nextBoolean() ? Mutator.number(random) : random.nextInt(70_000);
        return Mutator.replace(bytes, item.start, item.content, head(item.major, length));
    }

    private static byte[] repeat(byte[] bytes, Item item, SplittableRandom random) {
        int length = item.end - item.start;
        int times = 1 << random.nextInt(length > 64 ? 3 : 11);
        ByteBuffer copies = ByteBuffer.allocate(times * length);
        for (int i = 0; i < times; i++) {
            copies.put(bytes, item.start, length);
        }
        // A reader reads only as many items as an array's head announces, so in half of the cases the copies get an
        // array head with their count.
        byte[] more = random.nextBoolean() ? copies.array() : Mutator.insert(copies.array(), 0, head(ARRAY, times));
        return Mutator.replace(bytes, item.start, item.end, more);
    }

    private static byte[] nest(byte[] bytes, Item item, SplittableRandom random) {
        int depth = random.nextBoolean() ? 1 + random.nextInt(12) : 1 << random.nextInt(14);
        byte[] heads = new byte[depth];
        Arrays.fill(heads, (byte) (random.nextBoolean() ? 0x81 : 0xC1));
        return Mutator.insert(bytes, item.start, heads);
    }

    private static byte[] indefinite(byte[] bytes, Item item) {
        if (item.major < BYTES || item.major > MAP) {
            return Mutator.insert(bytes, item.end, new byte[] {(byte) 0xFF});
        }
        byte[] content = Arrays.copyOfRange(bytes, item.content, item.end);
        // A string of indefinite length consists of whole strings.
        byte[] inner = item.major <= TEXT ? Arrays.copyOfRange(bytes, item.start, item.end) : content;
        byte[] whole = ByteBuffer.allocate(inner.length + 2)
                .put((byte) (item.major << 5 | INDEFINITE))
                .put(inner)
                .put((byte) 0xFF)
                .array();
        return Mutator.replace(bytes, item.start, item.end, whole);
    }

    /** Replaces an item by one from another message, or from another place in this one. */
    private static byte[] swap(byte[] bytes, Item item, byte[] other, SplittableRandom random) {
        byte[] from = random.nextBoolean() ? other : bytes;
        List<Item> donors = items(from);
        if (donors.isEmpty()) {
            return bytes;
        }
        Item donor = donors.get(random.nextInt(donors.size()));
        return Mutator.replace(bytes, item.start, item.end, Arrays.copyOfRange(from, donor.start, donor.end));
    }

    private static List<Item> items(byte[] bytes) {
        List<Item> items = new ArrayList<>();
        int end = read(bytes, 0, items, 0);
        return end < 0 ? List.of() : items;
    }

    /** Returns where the item at the index ends; -1 if there is no item of definite length. */
    private static int read(byte[] bytes, int start, List<Item> items, int depth) {
        if (start >= bytes.length || depth > 16 || items.size() >= MAX_ITEMS) {
            return -1;
        }
        int major = (bytes[start] & 0xFF) >>> 5;
        int size = bytes[start] & 0x1F;
        int content = start + 1 + (size < 24 ? 0 : 1 << (size - 24));
        if (size > 27 || content > bytes.length) {
            return -1;
        }
        long argument = size < 24 ? size : 0;
        for (int i = start + 1; i < content; i++) {
            argument = argument << 8 | (bytes[i] & 0xFF);
        }
        int slot = items.size();
        items.add(new Item(start, content, content, major));
        int end = content;
        if (major == BYTES || major == TEXT) {
            if (argument < 0 || argument > bytes.length - content) {
                return -1;
            }
            end += (int) argument;
        } else if (major == ARRAY || major == MAP || major == 6) {
            long children = major == 6 ? 1 : major == MAP ? 2 * argument : argument;
            if (children < 0 || children > bytes.length) {
                return -1;
            }
            for (long child = 0; child < children && end >= 0; child++) {
                end = read(bytes, end, items, depth + 1);
            }
        }
        if (end >= 0) {
            items.set(slot, new Item(start, content, end, major));
        }
        return end;
    }
}
