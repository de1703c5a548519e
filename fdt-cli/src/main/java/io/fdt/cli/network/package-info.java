/** The options about the network that commands share, as settings of the engine. */
@NullMarked
package io.fdt.cli.network;

import org.jspecify.annotations.NullMarked;
