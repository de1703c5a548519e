/** Jobs cut into shards that any engine can run: planning, the files of a job, the logs of its runs, and finishing. */
@NullMarked
package io.fdt.core.shard;

import org.jspecify.annotations.NullMarked;
