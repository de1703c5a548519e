/** Benchmarks of what stands in {@code io.fdt.core.wire}, in the same package to reach it. */
@NullMarked
package io.fdt.core.wire;

import org.jspecify.annotations.NullMarked;
