/**
 * What every part of fdt shares: its one exception, its clock, and the library's public face, {@link io.fdt.core.Fdt}.
 * What a caller of the library meets beside it, and what is the engine's own business, is told in docs/library.md.
 */
@NullMarked
package io.fdt.core;

import org.jspecify.annotations.NullMarked;
