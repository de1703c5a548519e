/** The output of commands: log, progress, summaries and failures, as text or JSON. */
@NullMarked
package io.fdt.cli.display;

import org.jspecify.annotations.NullMarked;
