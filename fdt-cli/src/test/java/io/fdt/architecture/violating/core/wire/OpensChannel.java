package io.fdt.architecture.violating.core.wire;

import io.netty.channel.Channel;

/** Forbidden: codecs must not use channels. */
interface OpensChannel {
    Channel open();
}
