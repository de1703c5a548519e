package io.fdt.cli.value;

import io.fdt.core.Fdt;

/** An address in the syntax for users: {@code host}, {@code host:27321}, {@code [::1]:27321}. */
public record HostPort(String host, int port) {
    static final int DEFAULT_PORT = Fdt.DEFAULT_PORT;
    static final String DEFAULT_LISTEN_HOST = "127.0.0.1";

    private static final String EXPECTED = "not an address; write HOST, HOST:PORT or [IPV6]:PORT";

    /** Parses the remote end of a connection; the port is optional. */
    public static HostPort parse(String text) throws BadValueException {
        return parse(text, 1);
    }

    /**
     * Parses a listening address, including {@code :PORT} and {@code PORT} for the default host; port 0 picks a free
     * one.
     */
    public static HostPort parseListen(String text) throws BadValueException {
        if (Words.digits(text) >= 0) {
            return new HostPort(DEFAULT_LISTEN_HOST, port(text, 0));
        }
        if (text.startsWith(":") && text.indexOf(':', 1) < 0) {
            return new HostPort(DEFAULT_LISTEN_HOST, port(text.substring(1), 0));
        }
        return parse(text, 0);
    }

    private static HostPort parse(String text, int minPort) throws BadValueException {
        if (text.startsWith("[")) {
            int close = text.indexOf(']');
            if (close < 0) {
                throw new BadValueException(EXPECTED);
            }
            String host = text.substring(1, close);
            if (host.indexOf(':') < 0 || !isIpv6(host)) {
                throw new BadValueException("not an IPv6 address between the brackets");
            }
            String rest = text.substring(close + 1);
            if (rest.isEmpty()) {
                return new HostPort(host, DEFAULT_PORT);
            }
            if (rest.charAt(0) != ':') {
                throw new BadValueException(EXPECTED);
            }
            return new HostPort(host, port(rest.substring(1), minPort));
        }
        if (text.startsWith(Location.SCHEME)) {
            throw new BadValueException("write HOST or HOST:PORT, without " + Location.SCHEME);
        }
        int colon = text.indexOf(':');
        if (colon != text.lastIndexOf(':')) {
            throw new BadValueException("write an IPv6 address in brackets: [::1]:27321");
        }
        String host = colon < 0 ? text : text.substring(0, colon);
        if (host.indexOf('@') >= 0) {
            throw new BadValueException(
                    "a user name is not used here, because a key admits a client; write HOST or HOST:PORT");
        }
        if (!isName(host)) {
            throw new BadValueException(EXPECTED);
        }
        return new HostPort(host, colon < 0 ? DEFAULT_PORT : port(text.substring(colon + 1), minPort));
    }

    private static int port(String digits, int min) throws BadValueException {
        int port = Words.digits(digits);
        if (port < min || port > 65535) {
            throw new BadValueException("not a port; a number from " + min + " to 65535");
        }
        return port;
    }

    /** Whether it can be a host name or an IPv4 address. */
    public static boolean isName(String host) {
        if (host.isEmpty() || host.charAt(0) == '-' || host.length() > 253) {
            return false;
        }
        for (int i = 0; i < host.length(); i++) {
            char c = host.charAt(i);
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            boolean digit = c >= '0' && c <= '9';
            if (!letter && !digit && c != '.' && c != '-' && c != '_') {
                return false;
            }
        }
        return true;
    }

    /** Accepts only possible IPv6 literals, so that resolving them never queries a name server. */
    static boolean isIpv6(String host) {
        int percent = host.indexOf('%');
        String address = percent < 0 ? host : host.substring(0, percent);
        return address.indexOf(':') >= 0
                && address.chars().allMatch(c -> (c < 128 && Character.digit(c, 16) >= 0) || c == ':' || c == '.');
    }

    /** Ignores the case of host names. */
    public boolean sameAs(HostPort other) {
        return port == other.port && host.equalsIgnoreCase(other.host);
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
