package io.fdt.architecture.violating.core.transport.tcp;

import io.netty.channel.Channel;

/** Allowed: this package may use channels. */
interface Opens {
    Channel open();
}
