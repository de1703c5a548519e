/** The control channel: handshake, heartbeats, admission of lanes, and the server that passes sessions to services. */
@NullMarked
package io.fdt.core.control;

import org.jspecify.annotations.NullMarked;
