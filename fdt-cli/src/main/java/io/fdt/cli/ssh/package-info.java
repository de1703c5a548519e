/**
 * A remote end that the system's {@code ssh} starts for one transfer: the process, the exchange of its key, the tunnel.
 */
@NullMarked
package io.fdt.cli.ssh;

import org.jspecify.annotations.NullMarked;
