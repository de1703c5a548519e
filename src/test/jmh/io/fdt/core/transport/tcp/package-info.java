/** Benchmarks of {@code io.fdt.core.transport.tcp}, in the same package for access to package-private classes. */
@NullMarked
package io.fdt.core.transport.tcp;

import org.jspecify.annotations.NullMarked;
