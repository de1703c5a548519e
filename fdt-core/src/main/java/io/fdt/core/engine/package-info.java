/**
 * What the library's facade is made of: connecting to servers, listening as one, and copying within this host.
 */
@NullMarked
package io.fdt.core.engine;

import org.jspecify.annotations.NullMarked;
