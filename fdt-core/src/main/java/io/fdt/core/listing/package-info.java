/**
 * The listing service: the contents of exported directories, the space on their file systems, and the removal of what
 * unfinished copies left.
 */
@NullMarked
package io.fdt.core.listing;

import org.jspecify.annotations.NullMarked;
