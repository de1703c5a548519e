/** The interface of a command, the context that it runs in, and the parsing of its arguments. */
@NullMarked
package io.fdt.cli.command;

import org.jspecify.annotations.NullMarked;
