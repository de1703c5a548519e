/**
 * What a command is, what it has around it, how its arguments are split, and the frame of one that runs a job to its end.
 */
@NullMarked
package io.fdt.cli.command;

import org.jspecify.annotations.NullMarked;
