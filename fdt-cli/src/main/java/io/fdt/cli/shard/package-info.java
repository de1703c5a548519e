/** {@code shard}: planning a job of many runs, where it stands, and what is left to do at its end. */
@NullMarked
package io.fdt.cli.shard;

import org.jspecify.annotations.NullMarked;
