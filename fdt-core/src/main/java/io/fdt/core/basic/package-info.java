/**
 * Small things that all parts of fdt use: the clock, words and figures as users read them, JSON, files that are
 * replaced as a whole. Nothing here fails with a cause.
 */
@NullMarked
package io.fdt.core.basic;

import org.jspecify.annotations.NullMarked;
