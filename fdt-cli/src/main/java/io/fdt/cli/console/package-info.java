/**
 * The process's surroundings: standard output and error, the terminal, signals, and the arguments and environment in
 * the bytes that the kernel passed.
 */
@NullMarked
package io.fdt.cli.console;

import org.jspecify.annotations.NullMarked;
