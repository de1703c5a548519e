/** Tests of the package table in ARCHITECTURE.md. */
@NullMarked
package io.fdt.architecture;

import org.jspecify.annotations.NullMarked;
