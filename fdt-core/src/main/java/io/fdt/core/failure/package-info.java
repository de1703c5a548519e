/**
 * Why something failed: the table of causes with their exit codes and remedies, and the exception that carries a
 * failure.
 */
@NullMarked
package io.fdt.core.failure;

import org.jspecify.annotations.NullMarked;
