/** {@code key}: the keys of a home, and the words for what a key may do. */
@NullMarked
package io.fdt.cli.key;

import org.jspecify.annotations.NullMarked;
