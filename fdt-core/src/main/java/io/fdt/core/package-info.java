/**
 * What all parts of fdt share: the exception, the clock, and the public interface of the library, {@link
 * io.fdt.core.Fdt}. docs/library.md lists the public types.
 */
@NullMarked
package io.fdt.core;

import org.jspecify.annotations.NullMarked;
