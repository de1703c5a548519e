/** The sampler, its history and recordings, the live page, and the terminal view. */
@NullMarked
package io.fdt.monitor;

import org.jspecify.annotations.NullMarked;
