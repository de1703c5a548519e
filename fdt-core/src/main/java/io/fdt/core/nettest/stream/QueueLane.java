package io.fdt.core.nettest.stream;

import io.fdt.core.failure.Cause;
import io.fdt.core.nettest.CopyingLane;
import io.fdt.core.nettest.LaneBytes;
import io.fdt.core.nettest.QueueUse;
import io.fdt.core.transport.DeviceQueues;
import io.fdt.core.transport.DeviceQueues.QueueKind;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/**
 * A lane whose messages use a queue pair at each end. Over the lane, the ends exchange the addresses of their pairs,
 * the client first, so that the server is ready when its answer arrives; afterwards, the end of the lane means the end
 * of the test.
 *
 * <pre>
 * address: length of what follows 4, most bytes of a datagram 4, inline bytes 4, address of the pair
 * </pre>
 */
abstract class QueueLane extends CopyingLane {
    /** How long the remote end may be silent. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final int HEAD_BYTES = 12;
    private static final int MAX_ADDRESS_BYTES = 256;

    private final QueueUse use;
    private final int mostBytes;

    QueueLane(Lane lane, QueueUse use, int mostBytes) {
        super(
                lane,
                MAX_ADDRESS_BYTES,
                MAX_ADDRESS_BYTES,
                "queue pairs beside a lane need lanes over RDMA; add --transport rdma");
        this.use = use;
        this.mostBytes = mostBytes;
    }

    @Override
    protected final void run(DirectStream stream) {
        DeviceQueues queues = lane().openQueues();
        if (queues == null) {
            throw hasNot();
        }
        try (queues) {
            requireRoom(queues.datagramBytes(), "this host");
            run(stream, new QueueMessages(queues, use, mostBytes));
        } catch (UncheckedIOException refused) {
            throw Cause.CONNECTION_LOST.failure(
                    "the queues beside the lane to " + lane().peer() + ": " + refused.getMessage(), refused);
        }
    }

    /** Runs until the end of the test. */
    abstract void run(DirectStream stream, QueueMessages messages);

    /** Only one side may do so: the other would report a lost lane. */
    abstract boolean refusesLongMessages();

    final boolean isReliable() {
        return use.kind() == QueueKind.RELIABLE;
    }

    private void requireRoom(int datagramBytes, String whose) {
        if (refusesLongMessages() && use.kind() == QueueKind.DATAGRAM && mostBytes > datagramBytes) {
            throw Cause.USAGE.failure("a datagram of " + whose + " holds " + datagramBytes
                    + " bytes at most; use smaller --sizes, or --qp rc");
        }
    }

    /** Sends this end's address to the other end; false if the lane is to end. */
    final boolean sendAddress(DirectStream stream, QueueMessages messages) {
        byte[] address = messages.address();
        int length = HEAD_BYTES + address.length;
        // Separate from the memory in which the remote end's address may have arrived.
        LaneBytes own = new LaneBytes(MAX_ADDRESS_BYTES);
        own.buffer()
                .putInt(0, length - Integer.BYTES)
                .putInt(4, messages.datagramBytes())
                .putInt(8, messages.inlineBytes())
                .put(HEAD_BYTES, address);
        return sendAll(stream, own.address(), length);
    }

    /** Connects to the other end's address when it arrives; returns its inline bytes, or less than 0 at the end. */
    final int receiveAddress(DirectStream stream, QueueMessages messages) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        int wanted = Integer.BYTES;
        while (arrivedBytes() < wanted || wanted == Integer.BYTES) {
            if (arrivedBytes() < wanted) {
                int came = stream.receive(address() + arrivedBytes(), wanted - arrivedBytes());
                if (came == DirectStream.END) {
                    return DirectStream.END;
                }
                setArrivedBytes(arrivedBytes() + came);
                if (came == 0 && System.nanoTime() - deadline > 0) {
                    throw lost("did not send the address of its queue pair");
                }
                continue;
            }
            wanted += frame().getInt(0);
            if (wanted < HEAD_BYTES || wanted > MAX_ADDRESS_BYTES) {
                throw misfit("a queue pair's address of the wrong length");
            }
        }
        if (arrivedBytes() > wanted) {
            throw misfit("more than its queue pair's address");
        }
        requireRoom(frame().getInt(4), lane().peer());
        byte[] address = new byte[wanted - HEAD_BYTES];
        frame().get(HEAD_BYTES, address);
        try {
            messages.connect(address);
        } catch (IllegalArgumentException e) {
            throw misfit("an invalid address of a queue pair");
        }
        return Math.max(0, frame().getInt(8));
    }

    /** Whether the lane is to end, requested by either end. Nothing else arrives over it any more. */
    final boolean hasEnded(DirectStream stream) {
        int came = stream.receiveNow(address(), MAX_ADDRESS_BYTES);
        if (came > 0) {
            throw misfit("data over the lane instead of its queue pair");
        }
        return came == DirectStream.END;
    }
}
