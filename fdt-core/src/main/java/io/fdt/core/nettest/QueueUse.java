package io.fdt.core.nettest;

import io.fdt.core.transport.DeviceQueues.Kind;
import io.fdt.core.wire.NettestMessage.QueuePart;

/**
 * Queue pairs of a device that carry the messages of a test, in addition to its lanes.
 *
 * @param inlineBytes maximum size of a message passed to the device inside the request, if the device supports as many
 */
public record QueueUse(Kind kind, int inlineBytes) {
    /** The maximum size of a message: each end has room for a few. */
    public static final int MOST_MESSAGE_BYTES = 4 << 20;

    /** The name in the option. */
    public String word() {
        return kind == Kind.DATAGRAM ? "ud" : "rc";
    }

    QueuePart toPart() {
        return new QueuePart(kind == Kind.DATAGRAM, inlineBytes);
    }

    public static QueueUse of(QueuePart part) {
        return new QueueUse(part.datagrams() ? Kind.DATAGRAM : Kind.RELIABLE, part.inlineBytes());
    }
}
