/**
 * How a command runs: the frame of one that starts a job of the engine and waits for its end, and of one that does not.
 */
@NullMarked
package io.fdt.cli.run;

import org.jspecify.annotations.NullMarked;
