/** The hash of all data: leaf digests, the tree that combines them, and checksums that combine. */
@NullMarked
package io.fdt.core.digest;

import org.jspecify.annotations.NullMarked;
