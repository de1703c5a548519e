/**
 * Tests of the package table in ARCHITECTURE.md. {@code violating} is a small tree of the same structure that violates
 * every rule. It proves that the rules can fail.
 */
@NullMarked
package io.fdt.architecture;

import org.jspecify.annotations.NullMarked;
