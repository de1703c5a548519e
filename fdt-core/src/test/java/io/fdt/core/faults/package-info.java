/** Copies in each of which one system call fails. */
@NullMarked
package io.fdt.core.faults;

import org.jspecify.annotations.NullMarked;
