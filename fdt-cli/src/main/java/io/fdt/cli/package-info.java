/**
 * The command line: every command's options, what they mean, and how a result is shown. Commands turn texts into a
 * checked plan, hand it to the engine and report; nothing here moves data. {@code Main} alone ends the process. This
 * package holds {@code Main}, the table of commands, the commands that need that table, and the translation of legacy
 * command lines; every other command has its own package.
 */
@NullMarked
package io.fdt.cli;

import org.jspecify.annotations.NullMarked;
