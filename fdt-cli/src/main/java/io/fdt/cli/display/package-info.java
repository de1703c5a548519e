/** Reports of events and results of commands: the log, progress, summaries and failures, for people or as JSON. */
@NullMarked
package io.fdt.cli.display;

import org.jspecify.annotations.NullMarked;
