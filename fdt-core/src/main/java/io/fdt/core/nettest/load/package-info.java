/** The suite under rising load: steps of offered requests, pools of buffers, and the limit that was reached. */
@NullMarked
package io.fdt.core.nettest.load;

import org.jspecify.annotations.NullMarked;
