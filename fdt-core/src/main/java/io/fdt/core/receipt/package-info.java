/** Receipts as they are written: of a session, of a shard, of a job. */
@NullMarked
package io.fdt.core.receipt;

import org.jspecify.annotations.NullMarked;
