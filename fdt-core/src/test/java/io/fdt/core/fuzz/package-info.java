/**
 * Fuzzing of everything that reads bytes of a peer or of a file: targets, mutators, and the two that run them, the unit
 * test for a short time and {@code scripts/fuzz} for a long one.
 */
@NullMarked
package io.fdt.core.fuzz;

import org.jspecify.annotations.NullMarked;
