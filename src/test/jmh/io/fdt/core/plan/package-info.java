/** Benchmarks of what stands in {@code io.fdt.core.plan}, in the same package to reach it. */
@NullMarked
package io.fdt.core.plan;

import org.jspecify.annotations.NullMarked;
