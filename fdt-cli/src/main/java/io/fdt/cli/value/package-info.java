/**
 * Values as users write and read them: sizes, times, rates, addresses, words. Each type has one parser, whose error
 * states what it expected; the caller adds where the text came from.
 */
@NullMarked
package io.fdt.cli.value;

import org.jspecify.annotations.NullMarked;
