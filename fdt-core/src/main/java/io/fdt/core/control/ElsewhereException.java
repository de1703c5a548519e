package io.fdt.core.control;

/** The server has another process for this client, to which a connection with this route leads. */
final class ElsewhereException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final byte[] route;

    ElsewhereException(String peer, byte[] route) {
        super(peer + " has another process for this client");
        this.route = route.clone();
    }

    byte[] route() {
        return route.clone();
    }
}
