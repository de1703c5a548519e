package io.fdt.core.nettest;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/**
 * A lane whose messages are interpreted, in memory of its own. It uses only system calls of its own thread, because
 * with blocks the measurement would mostly show a wake-up. One message is in flight in each direction, unless a
 * subclass says otherwise.
 */
public abstract class CopyingLane extends MeasuredLane {
    private final LaneBytes memory;
    private final int roomBytes;
    private final String need;
    private int arrived;

    /**
     * @param roomBytes that may arrive before the lane's thread takes over
     * @param need the message if the transport cannot do this: what the lanes need, and what to do
     */
    protected CopyingLane(Lane lane, int memoryBytes, int roomBytes, String need) {
        super(lane);
        this.memory = new LaneBytes(memoryBytes);
        this.roomBytes = roomBytes;
        this.need = need;
    }

    @Override
    protected final void onBegin() {
        DirectStream stream = lane().takeOverByCopying();
        if (stream == null) {
            throw hasNot();
        }
        goDirectly(stream, this::run);
    }

    protected final TransferException hasNot() {
        return Cause.USAGE.failure(need);
    }

    /** Runs until the end of the test. */
    protected abstract void run(DirectStream stream);

    /**
     * Asks one question after the other, until there is none or the test ends; false if the lane is to end.
     *
     * @param exchange returns true when the whole answer has arrived, false if the lane is to end
     */
    protected final boolean ask(Questions questions, BooleanSupplier exchange) {
        long now = System.nanoTime();
        while (!isStopping() && questions.next(now, frame())) {
            long asked = System.nanoTime();
            if (!exchange.getAsBoolean()) {
                return false;
            }
            now = System.nanoTime();
            questions.onAnswer(asked, now);
            count((long) questions.requestBytes() + questions.answerBytes());
        }
        return true;
    }

    /** The memory of the message that is being created or was received. Its position has no meaning. */
    protected final ByteBuffer frame() {
        return memory.buffer();
    }

    protected final long address() {
        return memory.address();
    }

    /** Sends the frame's first bytes; false if the lane is to end. */
    protected final boolean send(DirectStream stream, int lengthBytes) {
        arrived = 0;
        return sendAll(stream, memory.address(), lengthBytes);
    }

    /** Receives until the frame has this many bytes; false if the peer has ended its stream, or the lane is to end. */
    protected final boolean receive(DirectStream stream, int lengthBytes, int mostBytes) {
        while (arrived < lengthBytes) {
            int count = stream.receive(memory.address() + arrived, mostBytes - arrived);
            if (count == DirectStream.END) {
                return false;
            }
            arrived += count;
        }
        return true;
    }

    /**
     * Receives one message, whose head has the length of what follows it at this place, and nothing more; returns that
     * length, or less than 0 if the lane is to end.
     */
    protected final int receiveMessage(DirectStream stream, int headBytes, int lengthAt, int mostBytes) {
        if (!receive(stream, headBytes, frame().capacity())) {
            return DirectStream.END;
        }
        int length = frame().getInt(lengthAt);
        if (length < 0 || length > mostBytes) {
            throw misfit("a message of " + length + " bytes");
        }
        if (!receive(stream, headBytes + length, frame().capacity())) {
            return DirectStream.END;
        }
        if (arrived != headBytes + length) {
            throw misfit("more than one message at a time");
        }
        return length;
    }

    protected final int arrivedBytes() {
        return arrived;
    }

    /** Call it after bytes were received or consumed in another way. */
    protected final void setArrivedBytes(int bytes) {
        arrived = bytes;
    }

    protected final void requireNothingArrived() {
        if (arrived > 0) {
            throw lost("ended in the middle of a request");
        }
    }

    /** Receives what the transport had received before the lane was taken over. */
    @Override
    public final void onReceived(Block block) {
        ByteBuffer came = block.buffer();
        if (came.remaining() > roomBytes - arrived) {
            throw misfit("more than one message at a time");
        }
        frame().put(arrived, came, came.position(), came.remaining());
        arrived += came.remaining();
        came.position(came.limit());
    }
}
