/** Benchmarks of what stands in {@code io.fdt.core.stats}, in the same package to reach it. */
@NullMarked
package io.fdt.core.stats;

import org.jspecify.annotations.NullMarked;
