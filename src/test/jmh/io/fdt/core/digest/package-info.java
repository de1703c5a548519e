/** Benchmarks of what stands in {@code io.fdt.core.digest}, in the same package to reach it. */
@NullMarked
package io.fdt.core.digest;

import org.jspecify.annotations.NullMarked;
