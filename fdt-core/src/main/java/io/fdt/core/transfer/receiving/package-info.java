/** The receiving side of a copy: targets, lanes, the files that they write, and the flusher. */
@NullMarked
package io.fdt.core.transfer.receiving;

import org.jspecify.annotations.NullMarked;
