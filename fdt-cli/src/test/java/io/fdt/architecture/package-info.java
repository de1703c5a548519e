/**
 * The package table of ARCHITECTURE.md as a test. {@code violating} holds a small tree of the same shape that breaks
 * every rule, as proof that the rules can fail.
 */
@NullMarked
package io.fdt.architecture;

import org.jspecify.annotations.NullMarked;
