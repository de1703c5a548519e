/** The listing service: what a server's exported directories hold, and the room on their file systems. */
@NullMarked
package io.fdt.core.listing;

import org.jspecify.annotations.NullMarked;
