package io.fdt.core.storage.partial;

import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Locale;

/**
 * The names beside a target while it is being written: {@code .fdt.<hash of the target's name>.part} contains its data,
 * {@code .journal} records the durable chunks, {@code .next} becomes a new journal when it is complete, and {@code
 * .link} becomes a link. No target may have such a name.
 *
 * @param nameHash 16 bytes; distinguishes two targets whose partials would have the same name
 */
public record PartialNames(RawPath partial, RawPath journal, byte[] nameHash) {
    private static final byte[] PREFIX = ".fdt.".getBytes(StandardCharsets.US_ASCII);
    private static final int HEX_DIGITS = 16;
    private static final int HASH_BYTES = 16;
    /** As many digits as {@link FileRange#MAX_COUNT} needs. */
    private static final int RANGE_DIGITS = 4;

    private static final ThreadLocal<MessageDigest> SHA256 = ThreadLocal.withInitial(PartialNames::newSha256);

    public static PartialNames of(RawPath target) {
        byte[] hash = Arrays.copyOf(SHA256.get().digest(target.toBytes()), HASH_BYTES);
        byte[] stem = stem(hash);
        return new PartialNames(with(stem, ".part"), with(stem, ".journal"), hash);
    }

    RawPath next() {
        return with(stem(nameHash), ".next");
    }

    public RawPath link() {
        return with(stem(nameHash), ".link");
    }

    /** Returns the partial to which a file with a reserved name belongs, or that partial itself. */
    static RawPath partialOf(RawPath reserved) {
        return with(Arrays.copyOf(reserved.toBytes(), PREFIX.length + HEX_DIGITS), ".part");
    }

    private static byte[] stem(byte[] hash) {
        byte[] stem = new byte[PREFIX.length + HEX_DIGITS];
        System.arraycopy(PREFIX, 0, stem, 0, PREFIX.length);
        for (int i = 0; i < HEX_DIGITS; i++) {
            int digit = hash[i / 2] >> (i % 2 == 0 ? 4 : 0) & 0xF;
            stem[PREFIX.length + i] = (byte) Character.forDigit(digit, 16);
        }
        return stem;
    }

    private static RawPath with(byte[] stem, String ending) {
        byte[] end = ending.getBytes(StandardCharsets.US_ASCII);
        byte[] name = Arrays.copyOf(stem, stem.length + end.length);
        System.arraycopy(end, 0, name, stem.length, end.length);
        return RawPath.ofBytes(name);
    }

    /** Whether an interrupted copy may have left a file with this name, which only its next run can use. */
    public static boolean isLeftover(RawPath name) {
        return isReserved(name) && !name.equals(LossMark.NAME);
    }

    /** Whether a target with this name could be mistaken for a file of an unfinished target. */
    public static boolean isReserved(RawPath name) {
        if (name.equals(LossMark.NAME)) {
            return true;
        }
        int length = name.lengthBytes();
        if (length <= PREFIX.length + HEX_DIGITS || name.byteAt(0) != '.') {
            return false;
        }
        for (int i = 0; i < PREFIX.length; i++) {
            if (name.byteAt(i) != PREFIX[i]) {
                return false;
            }
        }
        for (int i = PREFIX.length; i < PREFIX.length + HEX_DIGITS; i++) {
            if (Character.digit(name.byteAt(i), 16) < 0) {
                return false;
            }
        }
        String ending = name.text().substring(PREFIX.length + HEX_DIGITS);
        return ending.equals(".part")
                || ending.equals(".journal")
                || ending.equals(".next")
                || ending.equals(".link")
                || isOfRange(ending);
    }

    /** {@code .0007.journal}, or {@code .0007.next} while it is created. */
    private static boolean isOfRange(String ending) {
        int dot = 1 + RANGE_DIGITS;
        if (ending.length() <= dot || ending.charAt(0) != '.') {
            return false;
        }
        for (int i = 1; i < dot; i++) {
            if (Character.digit(ending.charAt(i), 16) < 0) {
                return false;
            }
        }
        return ending.startsWith(".journal", dot) || ending.startsWith(".next", dot);
    }

    /**
     * Returns the names for a file that is copied in ranges, which share one partial, and have a journal each. The
     * names depend on the state of the source and on the length of the ranges, so that ranges of two plans write to the
     * same partial only if they are the same ranges.
     */
    public static OfRanges ofRanges(RawPath target, FileEntry entry, FileRange range) {
        MessageDigest sha = SHA256.get();
        sha.update(target.toBytes());
        sha.update((byte) 0);
        sha.update(ByteBuffer.allocate(3 * Long.BYTES + Integer.BYTES)
                .putLong(range.fileBytes())
                .putLong(range.rangeBytes())
                .putLong(entry.modifiedSeconds())
                .putInt(entry.modifiedNanos())
                .array());
        return new OfRanges(Arrays.copyOf(sha.digest(), HASH_BYTES));
    }

    /** @param hash 16 bytes, half of which are part of the names */
    public record OfRanges(byte[] hash) {
        RawPath partial() {
            return with(stem(hash), ".part");
        }

        RawPath journal(int index) {
            return with(stem(hash), ranged(index, ".journal"));
        }

        /** The name of a journal while it is created. */
        RawPath next(int index) {
            return with(stem(hash), ranged(index, ".next"));
        }

        /** Distinguishes the journals of the ranges. */
        byte[] nameHash(int index) {
            MessageDigest sha = SHA256.get();
            sha.update(hash);
            sha.update(ByteBuffer.allocate(Integer.BYTES).putInt(index).array());
            return Arrays.copyOf(sha.digest(), HASH_BYTES);
        }

        private static String ranged(int index, String ending) {
            return String.format(Locale.ROOT, ".%04x%s", index, ending);
        }
    }

    private static MessageDigest newSha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every JDK has SHA-256", impossible);
        }
    }
}
