/** Command lines of legacy FDT, told in today's words. */
@NullMarked
package io.fdt.cli.legacy;

import org.jspecify.annotations.NullMarked;
