package io.fdt.core.security;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Addresses with a common prefix. They are numeric and never looked up, so they do not depend on a name service.
 *
 * @param text as the user wrote it
 */
record Network(byte[] address, int prefixBits, String text) {
    private static final byte[] MAPPED_PREFIX = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1};

    /**
     * Parses an address or network, such as {@code 10.1.0.0/16} or {@code 2001:db8::/32}; throws USAGE if it is
     * invalid.
     */
    static Network parse(String text) {
        int slash = text.indexOf('/');
        String literal = slash < 0 ? text : text.substring(0, slash);
        byte[] address = address(literal);
        int allBits = address.length * Byte.SIZE;
        int prefixBits = slash < 0 ? allBits : prefixBits(text.substring(slash + 1), allBits);
        for (int bit = prefixBits; bit < allBits; bit++) {
            if ((address[bit / Byte.SIZE] >>> (7 - bit % Byte.SIZE) & 1) != 0) {
                throw misfit("it has bits set after the prefix; write the network, or one address without a prefix");
            }
        }
        return new Network(address, prefixBits, text);
    }

    static List<Network> parseAll(List<String> texts) {
        return texts.stream().map(text -> parse(text.strip())).toList();
    }

    private static int prefixBits(String digits, int allBits) {
        if (digits.matches("[0-9]{1,3}")) {
            int bits = Integer.parseInt(digits);
            if (bits <= allBits) {
                return bits;
            }
        }
        throw misfit("a prefix has 0 to " + allBits + " bits");
    }

    private static byte[] address(String literal) {
        boolean digitsAndDots = literal.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
        boolean hexAndColons =
                literal.contains(":") && literal.toLowerCase(Locale.ROOT).matches("[0-9a-f:.]+");
        if (!digitsAndDots && !hexAndColons) {
            throw misfit("host names are not supported here; write for example 10.1.0.0/16 or 2001:db8::/32");
        }
        try {
            return InetAddress.getByName(literal).getAddress();
        } catch (UnknownHostException e) {
            throw misfit("no such address");
        }
    }

    private static TransferException misfit(String why) {
        return Cause.USAGE.failure("not a network: " + why);
    }

    /** Whether the user wrote the same; an array in a record has no equality of its own. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Network that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    boolean contains(byte[] other) {
        return other.length == address.length && agrees(other, prefixBits);
    }

    /** Whether the other network contains all addresses of this one. */
    boolean isWithin(Network other) {
        return prefixBits >= other.prefixBits && other.contains(address);
    }

    private boolean agrees(byte[] other, int bits) {
        int whole = bits / Byte.SIZE;
        int rest = bits % Byte.SIZE;
        return Arrays.equals(address, 0, whole, other, 0, whole)
                && (rest == 0 || sameBits(address[whole], other[whole], rest));
    }

    private static boolean sameBits(byte one, byte other, int bits) {
        int mask = 0xFF << (Byte.SIZE - bits) & 0xFF;
        return (one & mask) == (other & mask);
    }

    /** The bytes of an address; an IPv4 peer of a dual-stack socket may appear as IPv6. */
    static byte[] unmapped(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (address instanceof Inet4Address || bytes.length == 4) {
            return bytes;
        }
        return Arrays.equals(bytes, 0, 12, MAPPED_PREFIX, 0, 12) ? Arrays.copyOfRange(bytes, 12, 16) : bytes;
    }
}
