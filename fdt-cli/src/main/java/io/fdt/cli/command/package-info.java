/** What a command is, what it has around it, and how its arguments are split. */
@NullMarked
package io.fdt.cli.command;

import org.jspecify.annotations.NullMarked;
