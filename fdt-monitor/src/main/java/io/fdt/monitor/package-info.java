/** Meters, the exporters that publish them, and the live page. */
@NullMarked
package io.fdt.monitor;

import org.jspecify.annotations.NullMarked;
