package io.fdt.core.control;

import io.fdt.core.wire.SessionMessage;
import java.util.Arrays;

/** The server has another process for this client, to which a connection with this route, or without one, leads. */
final class ElsewhereException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final byte[] route;

    ElsewhereException(String peer, byte[] route) {
        super(peer + " has another process for this client");
        this.route = Arrays.equals(route, SessionMessage.Elsewhere.firstProcess()) ? new byte[0] : route.clone();
    }

    byte[] route() {
        return route.clone();
    }
}
