package io.fdt.architecture.violating.core.transport.tcp;

import io.netty.channel.Channel;

/** Allowed: here live the channels. */
interface Opens {
    Channel open();
}
