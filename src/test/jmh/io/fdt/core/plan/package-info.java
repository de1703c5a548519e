/** Benchmarks of {@code io.fdt.core.plan}, in the same package for access to package-private classes. */
@NullMarked
package io.fdt.core.plan;

import org.jspecify.annotations.NullMarked;
