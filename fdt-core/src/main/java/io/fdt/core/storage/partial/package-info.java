/** Files while they are written: partials, their locks, their journals, their names, and ranges of a file. */
@NullMarked
package io.fdt.core.storage.partial;

import org.jspecify.annotations.NullMarked;
