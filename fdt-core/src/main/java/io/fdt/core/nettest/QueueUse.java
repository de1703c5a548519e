package io.fdt.core.nettest;

import io.fdt.core.failure.Cause;
import io.fdt.core.plan.Value;
import io.fdt.core.transport.DeviceQueues.QueueKind;
import io.fdt.core.wire.Bounds;
import java.util.List;

/**
 * Queue pairs of a device that carry the messages of a test, in addition to its lanes.
 *
 * @param inlineBytes maximum size of a message passed to the device inside the request, if the device supports as many
 */
public record QueueUse(QueueKind kind, int inlineBytes) {
    /** The maximum size of a message: each end has room for a few. */
    public static final int MAX_MESSAGE_BYTES = 4 << 20;

    public QueueUse {
        if (inlineBytes < 0 || inlineBytes > Bounds.MAX_INLINE_BYTES) {
            throw Cause.USAGE.failure(
                    "a device takes 0 to " + Bounds.MAX_INLINE_BYTES + " bytes inline, not " + inlineBytes);
        }
    }

    /** The name in the option. */
    public String word() {
        return kind == QueueKind.DATAGRAM ? "ud" : "rc";
    }

    static Object written(QueueUse use) {
        return List.of(use.kind() == QueueKind.DATAGRAM ? 1L : 0L, (long) use.inlineBytes());
    }

    static QueueUse read(Object written) {
        List<Object> numbers = Value.list(written, 2);
        if (numbers.size() < 2) {
            throw new IllegalArgumentException("not a queue pair");
        }
        return new QueueUse(Value.number(numbers.get(0), 0, 1) == 1 ? QueueKind.DATAGRAM : QueueKind.RELIABLE, (int)
                Value.number(numbers.get(1), 0, Bounds.MAX_INLINE_BYTES));
    }
}
