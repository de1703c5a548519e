/**
 * Findings about a host, planned changes, and applying and undoing them. Findings and plans are functions of a {@code
 * Host}; only {@code Tuning} writes, and never before its journal is durable.
 */
@NullMarked
package io.fdt.core.host.tune;

import org.jspecify.annotations.NullMarked;
