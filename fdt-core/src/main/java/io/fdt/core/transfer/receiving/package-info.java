/** The receiving side of a copy: its targets, its lanes, the files that they write and their flusher. */
@NullMarked
package io.fdt.core.transfer.receiving;

import org.jspecify.annotations.NullMarked;
