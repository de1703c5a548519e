package io.fdt.cli.value;

/**
 * A text is not a valid value. The message describes the correct form; a caller that knows the origin of the text adds
 * it.
 */
public final class BadValueException extends Exception {
    private static final long serialVersionUID = 1L;

    public BadValueException(String expected) {
        super(expected);
    }

    /** Returns the problem and the correct form, never null. */
    public String expected() {
        return String.valueOf(getMessage());
    }
}
