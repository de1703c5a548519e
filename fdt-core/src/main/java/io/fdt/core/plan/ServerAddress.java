package io.fdt.core.plan;

/** The server of a copy, as the user named it. */
public record ServerAddress(String host, int port) {
    /** A copy within this host. */
    public static final ServerAddress NONE = new ServerAddress("", 0);

    public boolean isNone() {
        return host.isEmpty();
    }
}
