/** Copies in each of which one call to the operating system fails. */
@NullMarked
package io.fdt.core.faults;

import org.jspecify.annotations.NullMarked;
