/** Targets: where entries go, what becomes of what is there, metadata, flushes, final names. */
@NullMarked
package io.fdt.core.storage.target;

import org.jspecify.annotations.NullMarked;
