package io.fdt.rdma;

import com.ibm.disni.verbs.impl.NativeDispatcher;
import io.fdt.core.transport.DeviceQueues;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair with its own completion queue. Each request completes with the caller's number; requests are written one
 * at a time to memory that is set up once, so posting and polling allocate nothing.
 */
final class RdmaPair implements DeviceQueues.Pair, Closeable {
    /** In the upper half of the identifiers of receive requests. */
    private static final long RECEIVED = 1L << 32;

    private static final int POLLED_AT_ONCE = 16;
    private static final int PART_AT = WorkLayout.SEND_REQUEST_BYTES;
    private static final int COMPLETIONS_AT = PART_AT + WorkLayout.PART_BYTES;
    private static final int RECEIVE_AT = COMPLETIONS_AT + POLLED_AT_ONCE * WorkLayout.COMPLETION_BYTES;
    private static final int RECEIVE_PART_AT = RECEIVE_AT + WorkLayout.RECEIVE_REQUEST_BYTES;
    private static final int BYTES = RECEIVE_PART_AT + WorkLayout.PART_BYTES;

    private static final int DATAGRAM_KEY = 0x0fd70000;

    private final NativeDispatcher natives = Disni.NATIVES;
    private final RdmaQueues queues;
    private final DeviceQueues.QueueKind kind;
    private final long completions;
    private final long pair;
    private final int number;
    private final int inlineBytes;
    private final long address;
    private final ByteBuffer memory;
    private boolean closed;

    RdmaPair(RdmaQueues queues, DeviceQueues.QueueKind kind, int sends, int receives, int inlineBytes)
            throws IOException {
        this.queues = queues;
        this.kind = kind;
        address = Verbs.map(BYTES, false);
        if (address == 0) {
            throw new IOException("no memory for requests");
        }
        memory = Verbs.view(address, BYTES).order(ByteOrder.nativeOrder());
        memory.putLong(16, address + PART_AT).putInt(24, 1);
        memory.putLong(RECEIVE_AT + 16, address + RECEIVE_PART_AT).putInt(RECEIVE_AT + 24, 1);
        long madeCompletions = 0;
        long madePair = 0;
        int inline = inlineBytes;
        try {
            madeCompletions =
                    Disni.handle(natives._createCQ(queues.context(), 0, sends + receives, 0), "completion queue");
            while (madePair == 0) {
                try {
                    madePair = Verbs.createPair(
                            queues.domain(),
                            madeCompletions,
                            kind == DeviceQueues.QueueKind.RELIABLE
                                    ? Disni.RELIABLE_CONNECTED
                                    : Disni.UNRELIABLE_DATAGRAM,
                            sends,
                            receives,
                            inline);
                } catch (IOException tooMuch) {
                    if (inline == 0) {
                        throw tooMuch;
                    }
                    inline /= 2;
                }
            }
            Verbs.check(
                    Verbs.beginPair(madePair, queues.port(), Disni.ACCESS_REMOTE_READ, DATAGRAM_KEY),
                    "the queue pair cannot start");
            if (kind == DeviceQueues.QueueKind.DATAGRAM) {
                Verbs.check(Verbs.goDatagrams(madePair), "the queue pair cannot receive datagrams");
            }
            number = natives._getQpNum(madePair);
        } catch (IOException failed) {
            IOException first = release(failed, madePair, madeCompletions);
            throw first == null ? failed : first;
        }
        completions = madeCompletions;
        pair = madePair;
        this.inlineBytes = inline;
    }

    @Override
    public byte[] address() {
        return queues.addressOf(number, DATAGRAM_KEY).toBytes();
    }

    @Override
    public int inlineBytes() {
        return inlineBytes;
    }

    @Override
    public void connect(byte[] peerAddress) {
        require(DeviceQueues.QueueKind.RELIABLE);
        PairAddress peer = PairAddress.of(peerAddress);
        int mtu = Math.min(peer.mtu(), queues.addressOf(number, DATAGRAM_KEY).mtu());
        try {
            int connected = Verbs.goConnected(
                    pair, queues.port(), queues.gidIndex(), mtu, peer.gid(), peer.lid(), peer.number());
            Verbs.check(connected, "the queue pair is not connected");
        } catch (IOException refused) {
            throw new UncheckedIOException(refused);
        }
    }

    @Override
    public DeviceQueues.Peer peer(byte[] peerAddress) {
        require(DeviceQueues.QueueKind.DATAGRAM);
        return queues.peer(PairAddress.of(peerAddress));
    }

    private void require(DeviceQueues.QueueKind needed) {
        if (kind != needed) {
            throw new IllegalStateException("this queue pair does not support that; it is " + kind);
        }
    }

    // ---- Requests.

    @Override
    public void send(DeviceQueues.Memory from, int at, int lengthBytes, int request) {
        require(DeviceQueues.QueueKind.RELIABLE);
        write(WorkLayout.OPCODE_SEND, (RdmaMemory) from, at, lengthBytes, request);
        post();
    }

    @Override
    public void send(DeviceQueues.Memory from, int at, int lengthBytes, DeviceQueues.Peer to, int request) {
        require(DeviceQueues.QueueKind.DATAGRAM);
        RdmaPeer peer = (RdmaPeer) to;
        write(WorkLayout.OPCODE_SEND, (RdmaMemory) from, at, lengthBytes, request);
        // Where other requests have the remote address and key, datagrams have these.
        memory.putLong(40, peer.handle()).putInt(48, peer.number()).putInt(52, peer.key());
        post();
    }

    @Override
    public void read(
            DeviceQueues.Memory into,
            int at,
            int lengthBytes,
            DeviceQueues.Granted granted,
            long grantedAt,
            int request) {
        require(DeviceQueues.QueueKind.RELIABLE);
        Grant grant = (Grant) granted;
        write(WorkLayout.OPCODE_READ, (RdmaMemory) into, at, lengthBytes, request);
        memory.putLong(40, grant.at(grantedAt, lengthBytes)).putInt(48, grant.key());
        post();
    }

    private void write(int opcode, RdmaMemory local, int at, int lengthBytes, int request) {
        boolean inline = opcode == WorkLayout.OPCODE_SEND && lengthBytes <= inlineBytes;
        memory.putLong(0, request & 0xffffffffL)
                .putInt(28, opcode)
                .putInt(32, WorkLayout.SIGNALED | (inline ? WorkLayout.INLINE : 0))
                .putLong(PART_AT, local.at(at, lengthBytes))
                .putInt(PART_AT + 8, lengthBytes)
                .putInt(PART_AT + 12, local.localKey());
    }

    private void post() {
        try {
            natives._postSend(pair, address);
        } catch (IOException full) {
            throw new UncheckedIOException(full);
        }
    }

    @Override
    public void receive(DeviceQueues.Memory into, int at, int lengthBytes, int request) {
        RdmaMemory local = (RdmaMemory) into;
        memory.putLong(RECEIVE_AT, RECEIVED | (request & 0xffffffffL))
                .putLong(RECEIVE_PART_AT, local.at(at, lengthBytes))
                .putInt(RECEIVE_PART_AT + 8, lengthBytes)
                .putInt(RECEIVE_PART_AT + 12, local.localKey());
        try {
            natives._postRecv(pair, address + RECEIVE_AT);
        } catch (IOException full) {
            throw new UncheckedIOException(full);
        }
    }

    // ---- Completions.

    @Override
    public int poll() {
        try {
            int count = natives._pollCQ(completions, POLLED_AT_ONCE, address + COMPLETIONS_AT);
            if (count < 0) {
                throw new IOException("the completion queue cannot be read");
            }
            return count;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static int completionAt(int completion) {
        return COMPLETIONS_AT + completion * WorkLayout.COMPLETION_BYTES;
    }

    @Override
    public int number(int completion) {
        return (int) memory.getLong(completionAt(completion));
    }

    @Override
    public boolean isReceived(int completion) {
        return (memory.getLong(completionAt(completion)) & RECEIVED) != 0;
    }

    @Override
    public @Nullable String failure(int completion) {
        int status = memory.getInt(completionAt(completion) + 8);
        return status == 0 ? null : Verbs.completionText(status);
    }

    @Override
    public int lengthBytes(int completion) {
        return memory.getInt(completionAt(completion) + 20);
    }

    // ---- The end.

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        IOException failure = release(null, pair, completions);
        if (failure != null) {
            throw failure;
        }
    }

    /** Unmaps the requests even if the device reports a failure. */
    private @Nullable IOException release(@Nullable IOException before, long ofPair, long ofCompletions) {
        IOException failure = before;
        if (ofPair != 0) {
            failure = Verbs.freed(failure, "ibv_destroy_qp", () -> Verbs.destroyPair(ofPair));
        }
        if (ofCompletions != 0) {
            failure = Verbs.freed(failure, "ibv_destroy_cq", () -> natives._destroyCQ(ofCompletions));
        }
        Verbs.unmap(address, BYTES);
        return failure;
    }
}
