/** Benchmarks of {@code io.fdt.core.digest}, in the same package for access to package-private classes. */
@NullMarked
package io.fdt.core.digest;

import org.jspecify.annotations.NullMarked;
