package io.fdt.rdma;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The last event taken from a channel of the connection manager. For the thread that takes events. */
final class CmEvent implements AutoCloseable {
    static final int ADDRESS_RESOLVED = 0;
    static final int ROUTE_RESOLVED = 2;
    static final int CONNECT_REQUEST = 4;
    static final int REJECTED = 8;
    static final int ESTABLISHED = 9;
    static final int DISCONNECTED = 10;
    static final int DEVICE_REMOVAL = 11;

    private static final int BYTES = 288;
    private static final int PRIVATE_DATA_AT = 32;

    private final long address;
    private final ByteBuffer memory;

    CmEvent() {
        address = Verbs.map(BYTES, false);
        if (address == 0) {
            throw new OutOfMemoryError("no memory for an event");
        }
        memory = Verbs.view(address, BYTES).order(ByteOrder.nativeOrder());
    }

    boolean takeFrom(long channel) {
        return Verbs.takeEvent(channel, address);
    }

    int kind() {
        return memory.getInt(0);
    }

    int status() {
        return memory.getInt(4);
    }

    long id() {
        return memory.getLong(16);
    }

    /** Returns the private data of the remote end, padded by the transport; big-endian. */
    ByteBuffer privateData() {
        return memory.slice(PRIVATE_DATA_AT, memory.getInt(24));
    }

    String text() {
        return switch (kind()) {
            case 1, 3 -> "no route to that address (" + reason() + ")";
            case 6 -> "the connection failed (" + reason() + ")";
            case 7 -> "it does not answer (" + reason() + ")";
            case REJECTED -> "no server listens there for RDMA, or it accepts no more lanes (status " + status() + ")";
            case DISCONNECTED -> "it disconnected";
            case DEVICE_REMOVAL -> "the RDMA device was removed";
            default -> "event " + kind() + " (" + reason() + ")";
        };
    }

    private String reason() {
        return status() < 0 ? Verbs.errorText(-status()) : "status " + status();
    }

    @Override
    public void close() {
        Verbs.unmap(address, BYTES);
    }
}
