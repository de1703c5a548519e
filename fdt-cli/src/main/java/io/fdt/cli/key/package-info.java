/** {@code key}: the keys of a home directory, and the text form of what a key permits. */
@NullMarked
package io.fdt.cli.key;

import org.jspecify.annotations.NullMarked;
