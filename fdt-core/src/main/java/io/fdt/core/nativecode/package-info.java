/** Loads the native library of the core. Its functions are declared where they are used. */
@NullMarked
package io.fdt.core.nativecode;

import org.jspecify.annotations.NullMarked;
