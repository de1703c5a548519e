/** The sending side of a copy: sources, lanes, and the files that they read. */
@NullMarked
package io.fdt.core.transfer.sending;

import org.jspecify.annotations.NullMarked;
