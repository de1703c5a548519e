/** Links and lanes within this process, and connections that another process of this host passes to it. */
@NullMarked
package io.fdt.core.transport.local;

import org.jspecify.annotations.NullMarked;
