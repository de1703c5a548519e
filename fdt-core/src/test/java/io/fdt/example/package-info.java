/**
 * Programs over the library, as somebody else would write them. They know fdt-core alone, and of it what
 * docs/library.md names.
 */
@NullMarked
package io.fdt.example;

import org.jspecify.annotations.NullMarked;
