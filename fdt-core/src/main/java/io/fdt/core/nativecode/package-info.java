/**
 * The C functions that fdt calls, and where it loads native libraries from. fdt needs its library: nothing has a second
 * implementation in Java.
 */
@NullMarked
package io.fdt.core.nativecode;

import org.jspecify.annotations.NullMarked;
