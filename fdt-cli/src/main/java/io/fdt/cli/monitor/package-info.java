/**
 * {@code monitor}, and the monitoring that other commands start: the HTTP server, the pushes, and the terminal view.
 */
@NullMarked
package io.fdt.cli.monitor;

import org.jspecify.annotations.NullMarked;
