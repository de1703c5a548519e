package io.fdt.core.storage;

import io.fdt.core.plan.RawPath;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * The names that stand beside a target while it is being written: {@code .fdt.<hash of the target's name>.part} holds its
 * data, {@code .journal} what of it is durable, {@code .link} is a link on its way. No target may have such a name.
 *
 * @param nameHash 16 bytes; tells two targets apart whose partials would have the same name
 */
record PartialNames(RawPath partial, RawPath journal, RawPath link, byte[] nameHash) {
    private static final byte[] PREFIX = ".fdt.".getBytes(StandardCharsets.US_ASCII);
    private static final int HEX_DIGITS = 16;
    private static final int HASH_BYTES = 16;
    private static final ThreadLocal<MessageDigest> SHA256 = ThreadLocal.withInitial(PartialNames::newSha256);

    static PartialNames of(RawPath target) {
        byte[] hash = Arrays.copyOf(SHA256.get().digest(target.toBytes()), HASH_BYTES);
        byte[] stem = new byte[PREFIX.length + HEX_DIGITS];
        System.arraycopy(PREFIX, 0, stem, 0, PREFIX.length);
        for (int i = 0; i < HEX_DIGITS; i++) {
            int digit = hash[i / 2] >> (i % 2 == 0 ? 4 : 0) & 0xF;
            stem[PREFIX.length + i] = (byte) Character.forDigit(digit, 16);
        }
        return new PartialNames(with(stem, ".part"), with(stem, ".journal"), with(stem, ".link"), hash);
    }

    private static RawPath with(byte[] stem, String ending) {
        byte[] end = ending.getBytes(StandardCharsets.US_ASCII);
        byte[] name = Arrays.copyOf(stem, stem.length + end.length);
        System.arraycopy(end, 0, name, stem.length, end.length);
        return RawPath.ofBytes(name);
    }

    /** Whether a target of this name could be mistaken for something that belongs to an unfinished one. */
    static boolean isReserved(RawPath name) {
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
        return ending.equals(".part") || ending.equals(".journal") || ending.equals(".link");
    }

    private static MessageDigest newSha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every JDK has SHA-256", impossible);
        }
    }
}
