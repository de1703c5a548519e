package io.fdt.core.nettest.objects;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nettest.DevicePolls;
import io.fdt.core.transport.DeviceQueues;
import io.fdt.core.transport.DeviceQueues.Granted;
import io.fdt.core.transport.DeviceQueues.Memory;
import io.fdt.core.transport.DeviceQueues.Pair;
import io.fdt.core.transport.DeviceQueues.QueueKind;
import io.fdt.core.transport.Lane;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Reads objects from the server's memory with this host's device, one at a time; the counterpart of {@link
 * ObjectGrants}. Busy-polls the device for the end of a read. For the lane's thread.
 */
final class ObjectReads implements AutoCloseable {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final String server;
    private final DeviceQueues queues;
    private final DevicePolls polls = new DevicePolls();
    private final Pair pair;
    private final Memory memory;
    private final ByteBuffer bytes;
    private final List<Granted> granted = new ArrayList<>();

    private ObjectReads(String server, DeviceQueues queues, int mostBytes) {
        this.server = server;
        this.queues = queues;
        this.pair = queues.pair(QueueKind.RELIABLE, 1, 1, 0);
        this.memory = queues.memory(mostBytes, false);
        this.bytes = memory.bytes();
    }

    /** For values of up to this many bytes. */
    static ObjectReads over(Lane lane, int mostBytes) {
        DeviceQueues queues = ObjectGrants.queues(lane);
        ObjectReads made = null;
        try {
            made = new ObjectReads(lane.peer(), queues, mostBytes);
            return made;
        } catch (UncheckedIOException refused) {
            throw Cause.NO_RDMA.failure(
                    "this host's RDMA device does not read objects: " + refused.getMessage(), refused);
        } finally {
            if (made == null) {
                queues.close();
            }
        }
    }

    /** For the server, which connects its pair to it. */
    byte[] address() {
        return pair.address();
    }

    /** Takes the server's answer: the address of its pair, and its grants. */
    void connect(ByteBuffer answer) {
        try {
            pair.connect(next(answer));
            while (answer.hasRemaining()) {
                granted.add(queues.granted(next(answer)));
            }
        } catch (UncheckedIOException refused) {
            throw failed(String.valueOf(refused.getMessage()));
        } catch (IllegalArgumentException e) {
            throw Cause.MALFORMED.failure(server + " sent no valid permission to read its objects", e);
        }
    }

    private static byte[] next(ByteBuffer answer) {
        int length = answer.remaining() < Short.BYTES ? -1 : answer.getShort() & 0xffff;
        if (length < 0 || length > answer.remaining()) {
            throw new IllegalArgumentException("the answer is truncated");
        }
        byte[] next = new byte[length];
        answer.get(next);
        return next;
    }

    /** Returns when the bytes are at the beginning of {@link #bytes}. */
    void read(int part, int at, int lengthBytes) {
        try {
            pair.read(memory, 0, lengthBytes, granted.get(part), at, 0);
            polls.begin();
            while (pair.poll() == 0) {
                if (polls.isOver(PATIENCE_NANOS)) {
                    throw failed("no answer");
                }
            }
        } catch (UncheckedIOException refused) {
            throw failed(String.valueOf(refused.getMessage()));
        } catch (IllegalArgumentException e) {
            throw Cause.MALFORMED.failure(server + " named memory that it did not give access to", e);
        }
        String failure = pair.failure(0);
        if (failure != null) {
            throw failed(failure);
        }
    }

    private TransferException failed(String why) {
        return Cause.CONNECTION_LOST.failure("cannot read the memory of " + server + ": " + why);
    }

    ByteBuffer bytes() {
        return bytes;
    }

    @Override
    public void close() {
        queues.close();
    }
}
