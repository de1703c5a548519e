/**
 * Tools for tests that simulate peers that break the rules: they implement the protocol exactly and then do what no
 * honest peer does.
 */
@NullMarked
package io.fdt.core.hostile;

import org.jspecify.annotations.NullMarked;
