/**
 * Looking at files and changing them without a copy: what exported directories hold, the space on their file systems,
 * the removal of what unfinished copies left, and the operations {@code stat}, {@code sum}, {@code mkdir}, {@code mv},
 * {@code rm}.
 */
@NullMarked
package io.fdt.core.files;

import org.jspecify.annotations.NullMarked;
