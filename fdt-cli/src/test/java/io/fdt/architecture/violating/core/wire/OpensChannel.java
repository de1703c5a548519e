package io.fdt.architecture.violating.core.wire;

import io.netty.channel.Channel;

/** Forbidden: codecs know no channels. */
interface OpensChannel {
    Channel open();
}
