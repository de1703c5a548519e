/**
 * Programs that use the library as its users would. They use only fdt-core, and of it only what docs/library.md names.
 */
@NullMarked
package io.fdt.example;

import org.jspecify.annotations.NullMarked;
