/** The table of meters, the samples of a second, and their export to Prometheus and Micrometer. */
@NullMarked
package io.fdt.monitor.figure;

import org.jspecify.annotations.NullMarked;
