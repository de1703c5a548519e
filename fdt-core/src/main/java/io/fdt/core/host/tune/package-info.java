/**
 * What is wrong with a host for bulk transfers, what would be right, and the writes that lead there and back. Findings
 * and plans are functions of a {@code Host}; only {@code Tuning} writes, and never before its journal is durable.
 */
@NullMarked
package io.fdt.core.host.tune;

import org.jspecify.annotations.NullMarked;
