/** The wire format: chunk frames, control messages, their codecs, versions and bounds. No sockets. */
@NullMarked
package io.fdt.core.wire;

import org.jspecify.annotations.NullMarked;
