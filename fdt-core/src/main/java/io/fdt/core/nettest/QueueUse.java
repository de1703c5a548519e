package io.fdt.core.nettest;

import io.fdt.core.transport.DeviceQueues.Kind;
import io.fdt.core.wire.NettestMessage.QueuePart;

/**
 * Queue pairs of a device that carry the messages of a test, beside its lanes.
 *
 * @param inlineBytes that a message may have to be handed to the device with the request itself, where that takes as
 * many
 */
public record QueueUse(Kind kind, int inlineBytes) {
    /** What a message may have: each end holds room for a few. */
    public static final int MOST_MESSAGE_BYTES = 4 << 20;

    /** As the option has it. */
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
