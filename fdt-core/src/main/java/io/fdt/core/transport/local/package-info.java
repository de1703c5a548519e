/** Lanes between two processes of one user on one host, over Unix-domain sockets or rings in shared memory. */
@NullMarked
package io.fdt.core.transport.local;

import org.jspecify.annotations.NullMarked;
