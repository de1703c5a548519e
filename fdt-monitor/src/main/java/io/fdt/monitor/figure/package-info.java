/** What is measured: the table of meters, a second of samples, and how Prometheus and Micrometer see them. */
@NullMarked
package io.fdt.monitor.figure;

import org.jspecify.annotations.NullMarked;
