/**
 * The hardware and network configuration of the host, and the load of its cores. Reads what the kernel reports and
 * changes nothing, except the placement of threads.
 */
@NullMarked
package io.fdt.core.host;

import org.jspecify.annotations.NullMarked;
