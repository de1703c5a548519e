/** Targets: placement of entries, rules for existing files, metadata, flushes, final names. */
@NullMarked
package io.fdt.core.storage.target;

import org.jspecify.annotations.NullMarked;
