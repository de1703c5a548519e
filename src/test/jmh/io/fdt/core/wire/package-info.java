/** Benchmarks of {@code io.fdt.core.wire}, in the same package for access to package-private classes. */
@NullMarked
package io.fdt.core.wire;

import org.jspecify.annotations.NullMarked;
