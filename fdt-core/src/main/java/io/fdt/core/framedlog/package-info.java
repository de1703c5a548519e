/** Append-only logs: records with a checksum each, read up to the first damaged one. */
@NullMarked
package io.fdt.core.framedlog;

import org.jspecify.annotations.NullMarked;
