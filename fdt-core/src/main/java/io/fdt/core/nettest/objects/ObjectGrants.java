package io.fdt.core.nettest.objects;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.DeviceQueues;
import io.fdt.core.transport.DeviceQueues.Memory;
import io.fdt.core.transport.DeviceQueues.Pair;
import io.fdt.core.transport.DeviceQueues.QueueKind;
import io.fdt.core.transport.Lane;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the client's device may read of the objects without this server's CPU: for each lane a queue pair, and read-only
 * keys to the memory of this session's objects only. That memory is registered once for all lanes that use the same
 * port of a device, in a protection domain of this session; after the end, no key is valid. Thread-safe.
 */
final class ObjectGrants implements AutoCloseable {
    private final List<ByteBuffer> memory;

    // Guarded by this.
    private final Map<String, DeviceGrants> devices = new HashMap<>();
    private boolean closed;

    /** The queues of one port, and its keys. */
    private record DeviceGrants(DeviceQueues queues, List<byte[]> grants) {}

    /** @param memory direct buffers, which must exist as long as this object */
    ObjectGrants(List<ByteBuffer> memory) {
        this.memory = memory;
    }

    /** Connects a pair of this host to the client's, and writes what the client needs to the buffer, or throws. */
    synchronized void connect(Lane lane, byte[] clientAddress, ByteBuffer into) {
        if (closed) {
            throw Cause.CONNECTION_LOST.failure("the objects test has ended");
        }
        DeviceGrants device = device(lane);
        try {
            Pair pair = device.queues.pair(QueueKind.RELIABLE, 1, 1, 0);
            pair.connect(clientAddress);
            put(pair.address(), into);
            for (byte[] grant : device.grants) {
                put(grant, into);
            }
        } catch (UncheckedIOException refused) {
            throw refusal(refused);
        } catch (IllegalArgumentException e) {
            throw Cause.MALFORMED.failure(lane.peer() + " sent no valid address of a queue pair", e);
        }
    }

    private static void put(byte[] bytes, ByteBuffer into) {
        if (into.remaining() < Short.BYTES + bytes.length) {
            throw Cause.LIMIT
                    .advise("use fewer objects")
                    .failure("the objects are in more parts than reads over RDMA support");
        }
        into.putShort((short) bytes.length).put(bytes);
    }

    /** The queues of the lane's device, which the caller must close; throws USAGE if it has none. */
    static DeviceQueues queues(Lane lane) {
        DeviceQueues queues = lane.openQueues();
        if (queues == null) {
            throw Cause.USAGE.failure("reading objects over RDMA needs lanes over RDMA; add --transport rdma");
        }
        return queues;
    }

    private DeviceGrants device(Lane lane) {
        DeviceQueues queues = queues(lane);
        DeviceGrants there = devices.get(queues.endpoint());
        if (there != null) {
            queues.close();
            return there;
        }
        DeviceGrants made = null;
        try {
            List<byte[]> grants = new ArrayList<>();
            for (ByteBuffer part : memory) {
                Memory registered = queues.memory(part, true);
                grants.add(registered.grant(0, part.capacity()));
            }
            made = new DeviceGrants(queues, grants);
            devices.put(queues.endpoint(), made);
            return made;
        } catch (UncheckedIOException refused) {
            throw refusal(refused);
        } finally {
            if (made == null) {
                queues.close();
            }
        }
    }

    private static TransferException refusal(UncheckedIOException refused) {
        return Cause.NO_RDMA.failure(
                "the server's RDMA device does not permit reading objects: " + refused.getMessage(), refused);
    }

    /** From here on, no peer can read that memory. */
    @Override
    public void close() {
        List<DeviceGrants> open;
        synchronized (this) {
            closed = true;
            open = List.copyOf(devices.values());
            devices.clear();
        }
        RuntimeException failure = null;
        for (DeviceGrants device : open) {
            try {
                device.queues.close();
            } catch (RuntimeException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
