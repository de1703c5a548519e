/** What is counted while data moves, and the verdict on what held it back. */
@NullMarked
package io.fdt.core.stats;

import org.jspecify.annotations.NullMarked;
