package io.fdt.cli.value;

/** A text that is no value of its kind. The message describes the correct form; whoever knows the origin adds it. */
public final class BadValueException extends Exception {
    private static final long serialVersionUID = 1L;

    public BadValueException(String expected) {
        super(expected);
    }

    /** What is wrong and what would be right, never null. */
    public String expected() {
        return String.valueOf(getMessage());
    }
}
