package io.fdt.cli.value;

/** Turns the text of an option into its value; the same text gives the same value wherever it came from. */
@FunctionalInterface
public interface ValueParser<T> {
    T parse(String text) throws BadValueException;
}
