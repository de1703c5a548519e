package io.fdt.core.host;

import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads how large the packets are that the kernel's stack handles at a time, as {@code ip -d link show} prints them, by
 * one netlink request. It changes nothing and needs no privileges. For one thread.
 */
final class LinkSizes {
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW_CLOEXEC = 3 | 02000000;
    private static final int MSG_DONTWAIT = 0x40;
    private static final short GET_LINK = 18;
    private static final short NEW_LINK = 16;
    private static final short REQUEST = 1;
    private static final short NAME = 3;

    /** {@code struct nlmsghdr} and {@code struct ifinfomsg}. */
    private static final int HEADERS_BYTES = 32;

    private static final int ATTRIBUTE_HEADER_BYTES = 4;
    private static final int MAX_NAME_BYTES = 16;
    private static final int SCRATCH_BYTES = 32 << 10;

    /** The numbers of the attributes. */
    private static final Map<Integer, String> SIZES = Map.of(
            41, "gso_max_size",
            58, "gro_max_size",
            59, "tso_max_size",
            63, "gso_ipv4_max_size",
            64, "gro_ipv4_max_size");

    private final ByteBuffer scratch = ByteBuffer.allocateDirect(SCRATCH_BYTES).order(ByteOrder.nativeOrder());
    private final long address = Libc.addressOf(scratch);

    /** Returns the known sizes in bytes, by their names in {@code ip link}; empty if they cannot be read. */
    SortedMap<String, Long> of(String nic) {
        byte[] name = nic.getBytes(StandardCharsets.ISO_8859_1);
        int fd = name.length < MAX_NAME_BYTES ? Libc.socket(AF_NETLINK, SOCK_RAW_CLOEXEC, 0) : -1;
        if (fd < 0) {
            return new TreeMap<>();
        }
        try {
            int length = request(scratch, name);
            if (Libc.send(fd, address, length, MSG_DONTWAIT) != length) {
                return new TreeMap<>();
            }
            long received = Libc.recv(fd, address, SCRATCH_BYTES, MSG_DONTWAIT);
            return sizes(scratch, (int) received);
        } finally {
            Libc.close(fd);
        }
    }

    private static int request(ByteBuffer buffer, byte[] name) {
        int attribute = ATTRIBUTE_HEADER_BYTES + name.length + 1;
        int length = HEADERS_BYTES + aligned(attribute);
        for (int i = 0; i < length; i++) {
            buffer.put(i, (byte) 0);
        }
        buffer.putInt(0, length).putShort(4, GET_LINK).putShort(6, REQUEST);
        buffer.putShort(HEADERS_BYTES, (short) attribute).putShort(HEADERS_BYTES + 2, NAME);
        buffer.put(HEADERS_BYTES + ATTRIBUTE_HEADER_BYTES, name);
        return length;
    }

    private static SortedMap<String, Long> sizes(ByteBuffer reply, int received) {
        SortedMap<String, Long> sizes = new TreeMap<>();
        if (received < HEADERS_BYTES || reply.getShort(4) != NEW_LINK) {
            return sizes;
        }
        int end = Math.min(received, reply.getInt(0));
        int at = HEADERS_BYTES;
        while (at + ATTRIBUTE_HEADER_BYTES <= end) {
            int length = Short.toUnsignedInt(reply.getShort(at));
            String name = SIZES.get((int) reply.getShort(at + 2));
            if (name != null && length == ATTRIBUTE_HEADER_BYTES + Integer.BYTES && at + length <= end) {
                sizes.put(name, Integer.toUnsignedLong(reply.getInt(at + ATTRIBUTE_HEADER_BYTES)));
            }
            at += Math.max(ATTRIBUTE_HEADER_BYTES, aligned(length));
        }
        return sizes;
    }

    private static int aligned(int length) {
        return (length + 3) & ~3;
    }
}
