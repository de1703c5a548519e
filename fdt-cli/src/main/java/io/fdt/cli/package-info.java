/**
 * The command line: every command's options, what they mean, and how a result is shown. Commands turn texts into a
 * checked plan, hand it to the engine and report; nothing here moves data. {@code Main} alone ends the process. Here stand
 * {@code Main}, the table of commands, and the commands that need that table; every other one has a room of its own.
 */
@NullMarked
package io.fdt.cli;

import org.jspecify.annotations.NullMarked;
