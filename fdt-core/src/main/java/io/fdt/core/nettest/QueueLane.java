package io.fdt.core.nettest;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.DeviceQueues;
import io.fdt.core.transport.DeviceQueues.Kind;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * A lane beside which messages go by a queue pair at each end. Over the lane the ends tell each other how their pairs
 * are reached, the client first, so that the server is ready when its answer is there; after that the lane says by its
 * end that the test is over.
 *
 * <pre>
 * told: length of what follows 4, most bytes of a datagram 4, inline bytes 4, address of the pair
 * </pre>
 */
abstract class QueueLane extends MeasuredLane {
    /** As long as the far end may say nothing. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final int HEAD_BYTES = 12;
    private static final int MOST_TOLD_BYTES = 256;

    private final QueueUse use;
    private final int mostBytes;
    private final LaneBytes told = LaneBytes.ofBytes(MOST_TOLD_BYTES);
    private int arrived;

    QueueLane(Lane lane, LaneEnd end, QueueUse use, int mostBytes) {
        super(lane, end);
        this.use = use;
        this.mostBytes = mostBytes;
    }

    @Override
    final void onBegin() {
        DirectStream stream = lane().takeOverByCopying();
        DeviceQueues queues = stream == null ? null : lane().openQueues();
        if (stream == null || queues == null) {
            throw new TransferException(
                    FailureKind.USAGE, "queue pairs beside a lane need lanes over RDMA; add --transport rdma");
        }
        goesDirectly();
        try (stream;
                queues) {
            requireRoom(queues.datagramBytes(), "this host");
            run(stream, new QueueMessages(queues, use, mostBytes));
        } catch (UncheckedIOException refused) {
            throw new TransferException(
                    FailureKind.CONNECTION_LOST,
                    "the queues beside the lane to " + lane().peer() + ": " + refused.getMessage(),
                    refused);
        }
        sample();
        lane().close();
    }

    /** Until the end of the test. */
    abstract void run(DirectStream stream, QueueMessages messages);

    /** Only one side may: the other would report that it lost the lane. */
    abstract boolean refusesLongMessages();

    final boolean isReliable() {
        return use.kind() == Kind.RELIABLE;
    }

    private void requireRoom(int datagramBytes, String whose) {
        if (refusesLongMessages() && use.kind() == Kind.DATAGRAM && mostBytes > datagramBytes) {
            throw new TransferException(
                    FailureKind.USAGE,
                    "a datagram of " + whose + " holds " + datagramBytes
                            + " bytes at most; use smaller --sizes, or --qp rc");
        }
    }

    /** Tells the far end of this one; false when the lane is to end. */
    final boolean tell(DirectStream stream, QueueMessages messages) {
        byte[] address = messages.address();
        int length = HEAD_BYTES + address.length;
        // Not where the far end's word may have arrived already.
        LaneBytes own = LaneBytes.ofBytes(MOST_TOLD_BYTES);
        own.buffer()
                .putInt(0, length - Integer.BYTES)
                .putInt(4, messages.datagramBytes())
                .putInt(8, messages.inlineBytes())
                .put(HEAD_BYTES, address);
        int sent = 0;
        while (sent < length) {
            int count = stream.send(own.address() + sent, length - sent);
            if (count == DirectStream.END) {
                return false;
            }
            sent += count;
        }
        return true;
    }

    /**
     * Hears of the far end and connects to it; the inline bytes that it got, or less than 0 when the lane is to end.
     */
    final int hear(DirectStream stream, QueueMessages messages) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        int wanted = Integer.BYTES;
        while (arrived < wanted || wanted == Integer.BYTES) {
            if (arrived < wanted) {
                int came = stream.receive(told.address() + arrived, wanted - arrived);
                if (came == DirectStream.END) {
                    return DirectStream.END;
                }
                arrived += came;
                if (came == 0 && System.nanoTime() - deadline > 0) {
                    throw lost("does not tell how its queue pair is reached");
                }
                continue;
            }
            wanted += told.buffer().getInt(0);
            if (wanted < HEAD_BYTES || wanted > MOST_TOLD_BYTES) {
                throw misfit("a queue pair's address of another length");
            }
        }
        if (arrived > wanted) {
            throw misfit("more than its queue pair's address");
        }
        requireRoom(told.buffer().getInt(4), lane().peer());
        byte[] address = new byte[wanted - HEAD_BYTES];
        told.buffer().get(HEAD_BYTES, address);
        try {
            messages.connect(address);
        } catch (IllegalArgumentException e) {
            throw misfit("no address of a queue pair");
        }
        return Math.max(0, told.buffer().getInt(8));
    }

    /** Whether the lane is to end: by the far end's word, or somebody's here. Nothing else comes over it any more. */
    final boolean hasEnded(DirectStream stream) {
        int came = stream.receiveNow(told.address(), MOST_TOLD_BYTES);
        if (came > 0) {
            throw misfit("something over the lane, and not by its queue pair");
        }
        return came == DirectStream.END;
    }

    final TransferException misfit(String what) {
        return new TransferException(FailureKind.VERSION, lane().peer() + " sent " + what);
    }

    final TransferException lost(String what) {
        return new TransferException(FailureKind.CONNECTION_LOST, lane().peer() + " " + what);
    }

    /** What the transport had received before the lane was taken over. */
    @Override
    public final void onReceived(Block block) {
        ByteBuffer came = block.buffer();
        if (came.remaining() > MOST_TOLD_BYTES - arrived) {
            throw misfit("more than its queue pair's address");
        }
        told.buffer().put(arrived, came, came.position(), came.remaining());
        arrived += came.remaining();
        came.position(came.limit());
    }

    @Override
    public final int wantedBytes() {
        return 1;
    }

    @Override
    public final void onSendable() {}
}
