package io.fdt.core.security;

import javax.net.ssl.SSLHandshakeException;

/** The client refused the server's identity: it has a key of another server, or none. */
public final class NoKeyException extends SSLHandshakeException {
    private static final long serialVersionUID = 1L;

    NoKeyException() {
        super("the client has no key of this server");
    }
}
