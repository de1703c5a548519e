/**
 * Copies between two servers on behalf of a third host: the receiving server lends a key, the sending server runs the
 * copy, and the client follows it.
 */
@NullMarked
package io.fdt.core.thirdparty;

import org.jspecify.annotations.NullMarked;
