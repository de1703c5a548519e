/** {@code batch}: many copies and operations on files in one process, as JSON lines. */
@NullMarked
package io.fdt.cli.batch;

import org.jspecify.annotations.NullMarked;
