/**
 * {@code monitor}, and the monitor of any other command: where it is served and pushed to, and the terminal as a
 * screen.
 */
@NullMarked
package io.fdt.cli.monitor;

import org.jspecify.annotations.NullMarked;
