/** {@code ls} and {@code clean}: what a server exports, and what unfinished copies left, as text and JSON. */
@NullMarked
package io.fdt.cli.list;

import org.jspecify.annotations.NullMarked;
