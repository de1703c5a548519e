/** The interface between the engine and the network: transports, lanes, links and blocks. */
@NullMarked
package io.fdt.core.transport;

import org.jspecify.annotations.NullMarked;
