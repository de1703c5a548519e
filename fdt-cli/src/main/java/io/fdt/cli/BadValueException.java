package io.fdt.cli;

/** A text that is no value of its kind. The message says what would be right; whoever knows the origin adds it. */
final class BadValueException extends Exception {
    private static final long serialVersionUID = 1L;

    BadValueException(String expected) {
        super(expected);
    }

    /** What is wrong and what would be right, never null. */
    String expected() {
        return String.valueOf(getMessage());
    }
}
