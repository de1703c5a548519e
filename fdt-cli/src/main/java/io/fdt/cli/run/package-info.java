/**
 * How a command runs: how it lives until it has ended or is told to, the frame of one that starts a job of the engine,
 * and of one that does not.
 */
@NullMarked
package io.fdt.cli.run;

import org.jspecify.annotations.NullMarked;
