package io.fdt.core.host;

import io.fdt.core.basic.Figures;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A set of core numbers, with both text forms of the kernel: {@code 0-5,12} and {@code 00000000,0000103f}. */
public final class CoreSet {
    public static final CoreSet NONE = new CoreSet(new BitSet());

    /** More than any kernel supports; larger numbers are invalid. */
    static final int MAX_CORES = 1 << 16;

    private static final int WORD_BITS = 32;

    private final BitSet bits;

    private CoreSet(BitSet bits) {
        this.bits = bits;
    }

    public static CoreSet of(int... cores) {
        return of(IntStream.of(cores));
    }

    public static CoreSet of(IntStream cores) {
        BitSet bits = new BitSet();
        cores.forEach(bits::set);
        return new CoreSet(bits);
    }

    /** Reads 64-bit words, the lowest first, as system calls use them. */
    static CoreSet of(LongBuffer words) {
        return new CoreSet(BitSet.valueOf(words));
    }

    /** Returns the set as words like those of {@link #of(LongBuffer)}. */
    long[] toWords() {
        return bits.toLongArray();
    }

    /** Parses {@code 0-5,12}; returns null if the text is not such a list. An empty list is the empty set. */
    public static @Nullable CoreSet ofList(String text) {
        BitSet bits = numbersOf(text);
        return bits == null ? null : new CoreSet(bits);
    }

    /** Returns the numbers of such a list, whatever they stand for; each is below 65536. */
    static @Nullable BitSet numbersOf(String text) {
        BitSet bits = new BitSet();
        String list = text.strip();
        for (String part : list.isEmpty() ? new String[0] : list.split(",", -1)) {
            if (!part.matches("\\d{1,5}(-\\d{1,5})?")) {
                return null;
            }
            int dash = part.indexOf('-');
            int from = Integer.parseInt(dash < 0 ? part : part.substring(0, dash));
            int to = dash < 0 ? from : Integer.parseInt(part.substring(dash + 1));
            if (to < from || to >= MAX_CORES) {
                return null;
            }
            bits.set(from, to + 1);
        }
        return bits;
    }

    /** Parses hexadecimal 32-bit words, the highest first; returns null if the text is not such a mask. */
    public static @Nullable CoreSet ofMask(String text) {
        String[] words = text.strip().split(",", -1);
        if (words.length > MAX_CORES / WORD_BITS) {
            return null;
        }
        BitSet bits = new BitSet();
        for (int i = 0; i < words.length; i++) {
            if (!words[i].matches("[0-9a-fA-F]{1,8}")) {
                return null;
            }
            long word = Long.parseLong(words[i], 16);
            int first = (words.length - 1 - i) * WORD_BITS;
            for (int bit = 0; bit < WORD_BITS; bit++) {
                bits.set(first + bit, (word >> bit & 1) != 0);
            }
        }
        return new CoreSet(bits);
    }

    /** Returns the set in the kernel's mask format. */
    public String mask() {
        int words = Math.max(1, (bits.length() + WORD_BITS - 1) / WORD_BITS);
        StringBuilder text = new StringBuilder();
        for (int word = words - 1; word >= 0; word--) {
            long value = 0;
            for (int bit = 0; bit < WORD_BITS; bit++) {
                value |= bits.get(word * WORD_BITS + bit) ? 1L << bit : 0;
            }
            text.append(text.length() == 0 ? Long.toHexString(value) : Figures.text(",%08x", value));
        }
        return text.toString();
    }

    public boolean contains(int core) {
        return core >= 0 && bits.get(core);
    }

    public boolean isEmpty() {
        return bits.isEmpty();
    }

    public int size() {
        return bits.cardinality();
    }

    /** Returns the lowest core; -1 if the set is empty. */
    public int first() {
        return bits.nextSetBit(0);
    }

    public CoreSet and(CoreSet other) {
        return with(other, BitSet::and);
    }

    public CoreSet or(CoreSet other) {
        return with(other, BitSet::or);
    }

    public CoreSet without(CoreSet other) {
        return with(other, BitSet::andNot);
    }

    private CoreSet with(CoreSet other, BiConsumer<BitSet, BitSet> change) {
        BitSet changed = (BitSet) bits.clone();
        change.accept(changed, other.bits);
        return new CoreSet(changed);
    }

    public List<Integer> toList() {
        return bits.stream().boxed().toList();
    }

    /** Returns the set in the kernel's list format. */
    @Override
    public String toString() {
        List<String> parts = new ArrayList<>();
        for (int from = bits.nextSetBit(0); from >= 0; ) {
            int end = bits.nextClearBit(from);
            parts.add(end - from == 1 ? String.valueOf(from) : from + "-" + (end - 1));
            from = bits.nextSetBit(end);
        }
        return String.join(",", parts);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CoreSet cores && bits.equals(cores.bits);
    }

    @Override
    public int hashCode() {
        return bits.hashCode();
    }
}
