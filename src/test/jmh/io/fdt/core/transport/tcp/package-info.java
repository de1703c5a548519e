/** Benchmarks of what stands in {@code io.fdt.core.transport.tcp}, in the same package to reach it. */
@NullMarked
package io.fdt.core.transport.tcp;

import org.jspecify.annotations.NullMarked;
