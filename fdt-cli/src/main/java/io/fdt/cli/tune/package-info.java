/** {@code tune}: the findings about this host and the planned or applied changes, as text or JSON. */
@NullMarked
package io.fdt.cli.tune;

import org.jspecify.annotations.NullMarked;
