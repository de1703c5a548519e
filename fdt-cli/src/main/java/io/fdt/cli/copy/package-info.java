/**
 * {@code client}: a copy, from its operands and options to a checked plan, over ssh where that is asked for, to the
 * exit code.
 */
@NullMarked
package io.fdt.cli.copy;

import org.jspecify.annotations.NullMarked;
