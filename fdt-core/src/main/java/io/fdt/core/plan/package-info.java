/** What to copy: entries, manifests, chunks, and the queue from which lanes claim chunks. No I/O. */
@NullMarked
package io.fdt.core.plan;

import org.jspecify.annotations.NullMarked;
