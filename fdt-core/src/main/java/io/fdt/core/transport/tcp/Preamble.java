package io.fdt.core.transport.tcp;

import io.fdt.core.basic.Figures;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * The eight unencrypted bytes with which a client opens each connection, and with which a server answers on a link:
 * four of magic, the protocol version, a code, two of zero. They state what the connection is and whether both sides
 * have the same version, before TLS, so that peers of other protocols can be identified.
 */
final class Preamble {
    static final int BYTES = 8;

    /** The version of the protocol: of everything on a connection, and of its lanes on any transport. */
    static final int VERSION = 1;

    static final int LINK = 1;
    static final int TLS_LANE = 2;
    static final int CLEAR_LANE = 3;
    /** {@link #ROUTE_BYTES} follow, which name the process of the server that is meant, and then its own preamble. */
    static final int ROUTE = 4;

    static final int ROUTE_BYTES = 8;

    static final int WELCOME = 1;
    static final int OTHER_VERSION = 2;

    /** Not a letter, not a TLS record, not a Java stream and none of the first bytes of legacy FDT. */
    private static final byte[] MAGIC = {(byte) 0xfd, 'f', 'd', 't'};

    private Preamble() {}

    static ByteBuf encode(int version, int code) {
        return write(Unpooled.directBuffer(BYTES), version, code);
    }

    private static ByteBuf write(ByteBuf to, int version, int code) {
        return to.writeBytes(MAGIC).writeByte(version).writeByte(code).writeShort(0);
    }

    /** The first bytes of a client's connection of this kind, with the route in front if there is one. */
    static ByteBuf greeting(byte[] route, int code) {
        if (route.length == 0) {
            return encode(VERSION, code);
        }
        ByteBuf bytes = Unpooled.directBuffer(2 * BYTES + ROUTE_BYTES);
        write(bytes, VERSION, ROUTE).writeBytes(route);
        return write(bytes, VERSION, code);
    }

    /** Whether these first bytes may be the beginning of a preamble. */
    static boolean mayBegin(byte[] bytes, int count) {
        for (int index = 0; index < Math.min(count, MAGIC.length); index++) {
            if (bytes[index] != MAGIC[index]) {
                return false;
            }
        }
        return count < BYTES || (bytes[6] == 0 && bytes[7] == 0);
    }

    static int version(byte[] bytes) {
        return bytes[4] & 0xff;
    }

    static int code(byte[] bytes) {
        return bytes[5] & 0xff;
    }

    /** A short description of the first bytes of another protocol. */
    static String describe(byte[] bytes, int count) {
        if (count >= 2 && bytes[0] == 0x16 && bytes[1] == 0x03) {
            return "a TLS handshake, not fdt";
        }
        if (count >= 2 && bytes[0] == (byte) 0xac && bytes[1] == (byte) 0xed) {
            return "a Java object stream, not fdt";
        }
        if (count >= 1 && bytes[0] >= 0 && bytes[0] <= 3) {
            return "perhaps a legacy FDT client (first byte " + bytes[0] + ")";
        }
        boolean text = count > 0;
        for (int index = 0; index < count; index++) {
            text &= bytes[index] >= ' ' && bytes[index] < 0x7f;
        }
        if (!text) {
            return Figures.text("unknown bytes, the first is 0x%02x", bytes[0] & 0xff);
        }
        String start = new String(bytes, 0, count, java.nio.charset.StandardCharsets.US_ASCII);
        for (String method :
                new String[] {"GET ", "HEAD ", "POST ", "PUT ", "OPTIONS ", "CONNECT ", "DELETE ", "PRI "}) {
            if (start.startsWith(method) || method.startsWith(start)) {
                return "an HTTP request, not fdt";
            }
        }
        return start.startsWith("SSH-") ? "an SSH client, not fdt" : "text, not fdt";
    }
}
