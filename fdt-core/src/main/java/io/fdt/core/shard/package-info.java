/**
 * Jobs cut into shards that any engine can run: planning, the files of a job, what runs leave behind, and finishing.
 */
@NullMarked
package io.fdt.core.shard;

import org.jspecify.annotations.NullMarked;
