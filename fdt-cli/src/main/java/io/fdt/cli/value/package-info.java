/**
 * Values as people write and read them: sizes, times, rates, addresses, words. Each text goes through one parser, which
 * says what it expected; whoever asked says where the text came from.
 */
@NullMarked
package io.fdt.cli.value;

import org.jspecify.annotations.NullMarked;
