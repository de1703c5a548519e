/** What is to move: entries, manifests, chunks and the queue that lanes claim them from. No I/O. */
@NullMarked
package io.fdt.core.plan;

import org.jspecify.annotations.NullMarked;
