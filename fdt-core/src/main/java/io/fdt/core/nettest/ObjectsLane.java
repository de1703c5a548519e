package io.fdt.core.nettest;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import java.nio.ByteBuffer;

/**
 * A lane of a test of objects, on either side: whole frames, one at a time in each direction, through memory of its
 * own. It goes by calls of its own thread only, for with blocks a wake-up would be most of what is measured.
 */
abstract class ObjectsLane extends MeasuredLane {
    private final LaneBytes memory;
    private final ByteBuffer frame;
    private int arrived;

    ObjectsLane(Lane lane, LaneEnd end, int mostBytes) {
        super(lane, end);
        this.memory = LaneBytes.ofBytes(mostBytes);
        this.frame = memory.buffer();
    }

    @Override
    final void onBegin() {
        DirectStream stream = lane().takeOverByCopying();
        if (stream == null) {
            throw new TransferException(
                    FailureKind.USAGE,
                    "the network test objects needs clear lanes over epoll at both ends; leave out --tls and --io");
        }
        goesDirectly();
        try (stream) {
            run(stream);
        }
        sample();
        lane().close();
    }

    /** Until the end of the test. */
    abstract void run(DirectStream stream);

    /** Where the one frame stands that is being made or has come. Its position is of no meaning. */
    final ByteBuffer frame() {
        return frame;
    }

    /** Sends the frame's first bytes; false when the lane is to end. */
    final boolean send(DirectStream stream, int lengthBytes) {
        int sent = 0;
        while (sent < lengthBytes) {
            int count = stream.send(memory.address() + sent, lengthBytes - sent);
            if (count == DirectStream.END) {
                return false;
            }
            sent += count;
        }
        arrived = 0;
        return true;
    }

    /** Receives until the frame has so many bytes; false when the peer has ended its stream, or the lane is to end. */
    final boolean receive(DirectStream stream, int lengthBytes) {
        while (arrived < lengthBytes) {
            int count = stream.receive(memory.address() + arrived, frame.capacity() - arrived);
            if (count == DirectStream.END) {
                return false;
            }
            arrived += count;
        }
        return true;
    }

    /** Waits a short while: whether the lane is to end. Nothing may come meanwhile. */
    final boolean hasEnded(DirectStream stream) {
        int came = stream.receive(memory.address(), frame.capacity());
        if (came > 0) {
            throw misfit("an answer that was not requested");
        }
        return came == DirectStream.END;
    }

    final int arrivedBytes() {
        return arrived;
    }

    final TransferException misfit(String what) {
        return new TransferException(FailureKind.VERSION, lane().peer() + " sent " + what);
    }

    /** What the transport had received before the lane was taken over. */
    @Override
    public final void onReceived(Block block) {
        ByteBuffer came = block.buffer();
        if (came.remaining() > frame.capacity() - arrived) {
            throw misfit("more than one frame at a time");
        }
        frame.put(arrived, came, came.position(), came.remaining());
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
