/** {@code ls}: what a server exports, as text and JSON. */
@NullMarked
package io.fdt.cli.list;

import org.jspecify.annotations.NullMarked;
