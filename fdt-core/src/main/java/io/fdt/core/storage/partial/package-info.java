/** Files while they are written: partials, their locks, journals and names, and ranges of a file. */
@NullMarked
package io.fdt.core.storage.partial;

import org.jspecify.annotations.NullMarked;
