/** The C functions that fdt calls, one class for each library. */
@NullMarked
package io.fdt.core.nativecode;

import org.jspecify.annotations.NullMarked;
