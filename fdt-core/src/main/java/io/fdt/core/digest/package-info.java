/** The hash of all data: leaf digests, and the tree that combines them. */
@NullMarked
package io.fdt.core.digest;

import org.jspecify.annotations.NullMarked;
