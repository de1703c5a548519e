/**
 * Copies between two servers on behalf of a third machine: the receiving server lends a right, the sending one runs the
 * errand, and the client that asked for it follows from afar.
 */
@NullMarked
package io.fdt.core.errand;

import org.jspecify.annotations.NullMarked;
