/** The commands: they check what was typed, wire the parts, show progress and choose the exit code. */
@NullMarked
package io.fdt.cli;

import org.jspecify.annotations.NullMarked;
