/** {@code shard}: planning a job of many runs, showing its status, and finishing it. */
@NullMarked
package io.fdt.cli.shard;

import org.jspecify.annotations.NullMarked;
