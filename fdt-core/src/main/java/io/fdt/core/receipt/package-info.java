/** Writing receipts of a session, a shard or a job. */
@NullMarked
package io.fdt.core.receipt;

import org.jspecify.annotations.NullMarked;
