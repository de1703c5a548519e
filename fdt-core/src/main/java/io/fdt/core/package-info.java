/** What every part of fdt shares: its one exception, its clock, and the library's public face. */
@NullMarked
package io.fdt.core;

import org.jspecify.annotations.NullMarked;
