/** The suite under rising load: steps of offered requests, pools of buffers, and what ran out. */
@NullMarked
package io.fdt.core.nettest.load;

import org.jspecify.annotations.NullMarked;
