/** What the host is and what its cores do. Reads only what the kernel shows as files. */
@NullMarked
package io.fdt.core.host;

import org.jspecify.annotations.NullMarked;
