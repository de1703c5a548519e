/** {@code client}: a copy, from operands and options to a checked plan, over ssh if requested, to the exit code. */
@NullMarked
package io.fdt.cli.copy;

import org.jspecify.annotations.NullMarked;
