package io.fdt.cli.value;

/** Parses the text of an option; the result does not depend on the text's origin. */
@FunctionalInterface
public interface ValueParser<T> {
    T parse(String text) throws BadValueException;
}
