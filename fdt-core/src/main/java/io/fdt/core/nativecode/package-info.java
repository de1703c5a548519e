/** The functions in C that fdt calls: a class a library. What they are called for is said where they are used. */
@NullMarked
package io.fdt.core.nativecode;

import org.jspecify.annotations.NullMarked;
