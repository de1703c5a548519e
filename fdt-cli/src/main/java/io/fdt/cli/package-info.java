/**
 * The command line. Commands turn arguments into a checked plan, pass it to the engine and report the result; no data
 * moves here. Only {@code Main} ends the process. This package contains {@code Main}, the table of commands, the
 * commands that need that table, and the translation of legacy command lines; every other command has its own package.
 */
@NullMarked
package io.fdt.cli;

import org.jspecify.annotations.NullMarked;
