/**
 * Fuzzing of everything that reads bytes from a peer or a file: targets, mutators, and two ways to run them, the unit
 * test for a short time and {@code scripts/fuzz} for a long one.
 */
@NullMarked
package io.fdt.core.fuzz;

import org.jspecify.annotations.NullMarked;
