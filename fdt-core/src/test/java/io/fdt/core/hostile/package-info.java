/**
 * Peers that break the rules, as tools for tests: they speak the protocol down to the byte and then do what no honest
 * peer does.
 */
@NullMarked
package io.fdt.core.hostile;

import org.jspecify.annotations.NullMarked;
