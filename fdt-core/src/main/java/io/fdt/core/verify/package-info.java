/** The check of a tree against a receipt or another tree: both sides as streams in one order, hashed where they are. */
@NullMarked
package io.fdt.core.verify;

import org.jspecify.annotations.NullMarked;
