/** The transfer service: sender and receiver of one session. */
@NullMarked
package io.fdt.core.transfer;

import org.jspecify.annotations.NullMarked;
