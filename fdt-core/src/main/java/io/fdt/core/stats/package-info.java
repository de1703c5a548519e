/** Counters of moving data, and the bottleneck of a copy. */
@NullMarked
package io.fdt.core.stats;

import org.jspecify.annotations.NullMarked;
