package io.fdt.core.token;

/** A token that admits nobody, for the reason in the message, which never quotes the token. */
final class BadTokenException extends Exception {
    private static final long serialVersionUID = 1;

    BadTokenException(String message) {
        super(message);
    }
}
