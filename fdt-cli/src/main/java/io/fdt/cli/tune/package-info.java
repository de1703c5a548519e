/** {@code tune}: what is wrong with this host, and what would be or was written, for people or as JSON. */
@NullMarked
package io.fdt.cli.tune;

import org.jspecify.annotations.NullMarked;
