/** Benchmarks of {@code io.fdt.core.stats}, in the same package for access to package-private classes. */
@NullMarked
package io.fdt.core.stats;

import org.jspecify.annotations.NullMarked;
