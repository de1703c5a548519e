/** The life cycle of a command: running until it ends or is interrupted, with or without a job of the engine. */
@NullMarked
package io.fdt.cli.run;

import org.jspecify.annotations.NullMarked;
