/**
 * The library: {@link io.fdt.core.Fdt}, from which everything is started. docs/library.md lists the public types.
 */
@NullMarked
package io.fdt.core;

import org.jspecify.annotations.NullMarked;
