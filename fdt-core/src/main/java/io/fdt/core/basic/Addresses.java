package io.fdt.core.basic;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** Addresses for display, in one form everywhere: that of RFC 5952 for IPv6, such as {@code [2001:db8::1]:27321}. */
public final class Addresses {
    private static final int GROUPS = 8;

    private Addresses() {}

    /** An address with its port, and with the host's name if it was given by name. */
    public static String shown(@Nullable SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet)) {
            return "an unknown address";
        }
        String host = inet.getHostString();
        boolean named = inet.isUnresolved() || host.indexOf(':') < 0;
        return named ? host + ":" + inet.getPort() : "[" + shown(inet.getAddress()) + "]:" + inet.getPort();
    }

    /** An address without a port. */
    public static String shown(InetAddress address) {
        if (!(address instanceof Inet6Address)) {
            return address.getHostAddress();
        }
        byte[] bytes = address.getAddress();
        int first = GROUPS;
        int count = 1;
        for (int at = 0; at < GROUPS; at++) {
            int zeros = 0;
            while (at + zeros < GROUPS && group(bytes, at + zeros) == 0) {
                zeros++;
            }
            if (zeros > count) {
                first = at;
                count = zeros;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < GROUPS; at++) {
            if (at == first) {
                text.append("::");
                at += count - 1;
            } else {
                boolean apart = at > 0 && at != first + count;
                text.append(apart ? ":" : "").append(Integer.toHexString(group(bytes, at)));
            }
        }
        String java = address.getHostAddress();
        int zone = java.indexOf('%');
        return zone < 0 ? text.toString() : text + java.substring(zone);
    }

    private static int group(byte[] bytes, int index) {
        return (bytes[2 * index] & 0xff) << 8 | (bytes[2 * index + 1] & 0xff);
    }
}
