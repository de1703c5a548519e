/**
 * Verification of a tree against a receipt or another tree: two streams of entries in the same order, each hashed where
 * its files are.
 */
@NullMarked
package io.fdt.core.verify;

import org.jspecify.annotations.NullMarked;
