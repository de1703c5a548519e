/** What the host is and what its cores do. Reads what the kernel shows and changes nothing. */
@NullMarked
package io.fdt.core.host;

import org.jspecify.annotations.NullMarked;
