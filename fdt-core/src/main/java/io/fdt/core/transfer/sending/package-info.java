/** The sending side of a copy: its sources, its lanes and the files that they read. */
@NullMarked
package io.fdt.core.transfer.sending;

import org.jspecify.annotations.NullMarked;
