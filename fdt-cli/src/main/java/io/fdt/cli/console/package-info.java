/**
 * The ends of this process: standard output and error, who writes to them, the terminal's width, signals, and arguments
 * and environment as the kernel holds them.
 */
@NullMarked
package io.fdt.cli.console;

import org.jspecify.annotations.NullMarked;
