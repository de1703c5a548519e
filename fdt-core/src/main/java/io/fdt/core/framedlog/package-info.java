/** Logs that are appended to: each record in a frame of its own, read up to the first that does not hold. */
@NullMarked
package io.fdt.core.framedlog;

import org.jspecify.annotations.NullMarked;
