package io.fdt.rdma;

import com.ibm.disni.verbs.impl.NativeDispatcher;
import io.fdt.core.transport.LaneBlock;
import io.fdt.core.transport.ThreadedLane;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * The device resources of a lane: a reliable connection with its completion queue, protection domain and memory.
 * Because each lane has its own domain, the key given to its peer is only valid on this connection, and only for the
 * receive blocks.
 *
 * <p>For one thread at a time. Posting and polling allocate nothing: requests are written in the layout of libibverbs
 * to memory that is set up once. If a request cannot be posted, an {@link IOException} is thrown.
 *
 * <p>Each receive request has room for a control word of 16 bytes; a write with immediate data consumes a request
 * without writing there. There are enough requests for all blocks and control words that can be in flight, so the peer
 * never finds none.
 */
final class QueuePair implements AutoCloseable {
    /** For all control words and empty writes that can be in flight. */
    private static final int SPARE_SENDS = 8;

    private static final int SPARE_RECEIVES = 8;
    static final int WORD_BYTES = 16;
    /** One of each kind can be in flight. */
    private static final int SENT_WORDS = 2;

    private static final int[] INLINE_BYTES = {256, 64, 0};

    private static final int POLLED_AT_ONCE = 16;

    /** A control word that announces a filled block; its length and index follow. */
    static final int WORD_FILLED = 3;

    /** The type of a request, in the upper half of its identifier. */
    static final int KIND_RECEIVE = 1;

    static final int KIND_BLOCK = 2;
    static final int KIND_WORD = 3;

    private static final int RETRIES = 7;
    private static final int RETRIES_WITHOUT_END = 7;

    private final NativeDispatcher natives = Disni.NATIVES;
    final RdmaSettings settings;
    final long id;
    final String device;
    final int strideBytes;

    // 0 if there is none.
    private long channel;
    private long domain;
    private long completionChannel;
    private long completionQueue;
    private long pair;
    private long receiveRegion;
    private long localRegion;

    private final long memoryAddress;
    private final long memoryBytes;
    private final boolean hugePages;
    private final ByteBuffer memory;
    private final ByteBuffer wire;
    private boolean immediates;
    private int inlineBytes;
    private int localKey;
    private int remoteKey;

    private final int sends;
    private final int receives;
    private final int sendBlocksAt;
    private final int jointAt;
    private final int wordsAt;
    private final int sentWordAt;
    private final int sentNoticesAt;
    private final int sendRequestsAt;
    private final int receiveRequestsAt;
    private final int completionsAt;

    private int chained;
    private int repostFirst = -1;
    private int repostLast = -1;
    private int postedReceives;
    private boolean closed;

    /**
     * Creates all resources on the device that the connection's address was resolved to, and posts the receive
     * requests.
     *
     * @param channel the connection's event channel, closed with it; 0 while the listener's channel is used
     */
    QueuePair(long id, long channel, RdmaSettings settings) throws IOException {
        this.id = id;
        this.channel = channel;
        this.settings = settings;
        receives = 2 * settings.blocks().toReceive() + SPARE_RECEIVES;
        strideBytes = settings.blocks().strideBytes();
        sendBlocksAt = settings.blocks().toReceive() * strideBytes;
        jointAt = sendBlocksAt + settings.blocks().toSend() * strideBytes;
        wordsAt = jointAt + strideBytes;
        sentWordAt = wordsAt + receives * WORD_BYTES;
        sentNoticesAt = sentWordAt + SENT_WORDS * WORD_BYTES;
        sendRequestsAt = (sentNoticesAt + settings.blocks().toSend() * WORD_BYTES + 127) / 128 * 128;
        sends = 2 * settings.blocks().toSend() + SPARE_SENDS;
        receiveRequestsAt = sendRequestsAt + sends * (WorkLayout.SEND_REQUEST_BYTES + WorkLayout.PART_BYTES);
        completionsAt = receiveRequestsAt + receives * (WorkLayout.RECEIVE_REQUEST_BYTES + WorkLayout.PART_BYTES);
        long needed = completionsAt + (long) POLLED_AT_ONCE * WorkLayout.COMPLETION_BYTES;
        long hugeBytes = settings.blocks().laneBytes();
        if (needed > hugeBytes) {
            throw new IllegalStateException("a lane needs " + needed + " bytes and was counted with " + hugeBytes);
        }
        long huge = settings.hugePages() ? Verbs.map(hugeBytes, true) : 0;
        hugePages = huge != 0;
        memoryBytes = hugePages ? hugeBytes : needed;
        memoryAddress = hugePages ? huge : Verbs.map(needed, false);
        if (memoryAddress == 0) {
            throw new IOException("not enough memory for the blocks of a lane");
        }
        memory = Verbs.view(memoryAddress, memoryBytes).order(ByteOrder.nativeOrder());
        wire = memory.duplicate().order(ByteOrder.BIG_ENDIAN);
        String name = "";
        try {
            long context = Disni.handle(natives._getContext(id), "RDMA device for this address");
            name = Verbs.deviceName(context);
            create(context);
            fillRequests();
        } catch (IOException | RuntimeException failed) {
            // The caller still owns the connection and its events.
            this.channel = 0;
            release();
            throw failed;
        }
        device = name;
    }

    private void create(long context) throws IOException {
        int[] limits = new int[4];
        int error = Verbs.deviceLimits(context, limits);
        if (error != 0) {
            throw new IOException("the RDMA device does not report its limits: " + Verbs.errorText(error));
        }
        immediates = limits[3] == 0 && settings.notice() == RdmaSettings.Notice.WITH_THE_WRITE;
        if (limits[0] < Math.max(sends, receives) || limits[1] < sends + receives) {
            throw new IOException("the RDMA device supports no more than " + limits[0] + " requests per queue and "
                    + limits[1] + " completions; use fewer blocks");
        }
        domain = Disni.handle(natives._allocPd(context), "protection domain");
        completionChannel = Disni.handle(natives._createCompChannel(context), "completion channel");
        completionQueue =
                Disni.handle(natives._createCQ(context, completionChannel, sends + receives, 0), "completion queue");
        createPair();
        long keys = memoryAddress + completionsAt;
        receiveRegion = Disni.handle(
                natives._regMr(
                        domain,
                        memoryAddress,
                        sendBlocksAt,
                        Disni.ACCESS_LOCAL_WRITE | Disni.ACCESS_REMOTE_WRITE,
                        keys,
                        keys + 4,
                        keys + 8),
                "registered memory");
        remoteKey = memory.getInt(completionsAt + 4);
        localRegion = Disni.handle(
                natives._regMr(
                        domain,
                        memoryAddress + sendBlocksAt,
                        sendRequestsAt - sendBlocksAt,
                        Disni.ACCESS_LOCAL_WRITE,
                        keys,
                        keys + 4,
                        keys + 8),
                "registered memory");
        localKey = memory.getInt(completionsAt);
    }

    /** Creates the pair with as much inline data as the device supports. */
    private void createPair() throws IOException {
        IOException refused = new IOException("no queue pair");
        for (int bytes : INLINE_BYTES) {
            try {
                pair = Disni.handle(
                        natives._createQP(
                                id,
                                domain,
                                completionQueue,
                                completionQueue,
                                Disni.RELIABLE_CONNECTED,
                                sends,
                                receives,
                                bytes),
                        "queue pair");
                inlineBytes = bytes;
                return;
            } catch (IOException tooMuch) {
                refused = tooMuch;
            }
        }
        throw refused;
    }

    /** Writes the constant parts of all requests, and posts the receive requests. */
    private void fillRequests() throws IOException {
        for (int index = 0; index < sends; index++) {
            int at = sendRequestAt(index);
            memory.putLong(at + 16, memoryAddress + partAt(index));
            memory.putInt(partAt(index) + 12, localKey);
        }
        for (int index = 0; index < receives; index++) {
            int at = receiveRequestAt(index);
            int part = receiveRequestsAt + receives * WorkLayout.RECEIVE_REQUEST_BYTES + index * WorkLayout.PART_BYTES;
            memory.putLong(at, (long) KIND_RECEIVE << 32 | index);
            memory.putLong(at + 16, memoryAddress + part);
            memory.putInt(at + 24, 1);
            memory.putLong(part, memoryAddress + wordAt(index));
            memory.putInt(part + 8, WORD_BYTES);
            memory.putInt(part + 12, localKey);
            repost(index);
        }
        postReceives();
    }

    private int sendRequestAt(int index) {
        return sendRequestsAt + index * WorkLayout.SEND_REQUEST_BYTES;
    }

    private int partAt(int index) {
        return sendRequestsAt + sends * WorkLayout.SEND_REQUEST_BYTES + index * WorkLayout.PART_BYTES;
    }

    private int receiveRequestAt(int index) {
        return receiveRequestsAt + index * WorkLayout.RECEIVE_REQUEST_BYTES;
    }

    private int wordAt(int index) {
        return wordsAt + index * WORD_BYTES;
    }

    // ---- Memory.

    LaneBlock receiveBlock(int index) {
        return block(null, (long) index * strideBytes, settings.blocks().bytes());
    }

    /** @param bytes its usable size, which must fit the peer's blocks */
    LaneBlock sendBlock(ThreadedLane lane, int index, int bytes) {
        return block(lane, sendBlocksAt + (long) index * strideBytes, bytes);
    }

    /** Returns the block in which data of several blocks is joined; the peer has no key for it. */
    LaneBlock jointBlock() {
        return block(null, jointAt, settings.blocks().bytes());
    }

    private LaneBlock block(@Nullable ThreadedLane lane, long at, int bytes) {
        return new LaneBlock(lane, Verbs.view(memoryAddress + at, bytes), memoryAddress + at);
    }

    /** Returns the description of the blocks that the peer may fill. */
    Hello hello() {
        return new Hello(
                settings.blocks().toReceive(), settings.blocks().bytes(), strideBytes, remoteKey, memoryAddress);
    }

    // ---- The connection.

    /** Requests a connection to the listener at the resolved address; the result is an event. */
    void connect(ByteBuffer scratch, long scratchAddress) throws IOException {
        hello().write(scratch);
        natives._connect(id, RETRIES, RETRIES_WITHOUT_END, scratchAddress, (byte) Hello.BYTES);
    }

    void accept(ByteBuffer scratch, long scratchAddress) throws IOException {
        hello().write(scratch);
        Verbs.accept(id, RETRIES_WITHOUT_END, scratchAddress, Hello.BYTES);
    }

    /** Moves the connection's events from the listener's channel to a separate one. */
    void takeEvents() throws IOException {
        long own = Disni.handle(natives._createEventChannel(), "event channel");
        try {
            Verbs.migrate(id, own);
            channel = own;
        } finally {
            if (channel == 0) {
                natives._destroyEventChannel(own);
            }
        }
    }

    boolean takeEvent(CmEvent event) {
        return event.takeFrom(channel);
    }

    /** Disconnects from the peer, or answers its disconnect. Requests that are still posted complete as flushed. */
    void disconnect() {
        natives._disconnect(id);
    }

    // ---- Sending.

    /**
     * Adds the write of a block, and its notice to the peer, to the chain that {@link #postChain} posts.
     *
     * @param number of the block among all that were sent; the completion returns its lower 32 bits
     */
    void chainWrite(
            long address, int lengthBytes, long remoteAddress, int key, int index, boolean signaled, long number) {
        long identifier = (long) KIND_BLOCK << 32 | (number & 0xffff_ffffL);
        int opcode = immediates ? WorkLayout.OPCODE_WRITE_WITH_IMMEDIATE : WorkLayout.OPCODE_WRITE;
        int at = chain(identifier, opcode, signaled && immediates, address, lengthBytes);
        wire.putInt(at + 36, index);
        memory.putLong(at + 40, remoteAddress);
        memory.putInt(at + 48, key);
        if (!immediates) {
            int notice = sentNoticesAt + (int) (number % settings.blocks().toSend()) * WORD_BYTES;
            wire.putInt(notice, WORD_FILLED);
            wire.putInt(notice + 4, lengthBytes);
            wire.putLong(notice + 8, index);
            chain(identifier, WorkLayout.OPCODE_SEND, signaled, memoryAddress + notice, WORD_BYTES);
        }
    }

    /** Adds a request for these bytes to the chain; returns its offset. */
    private int chain(long identifier, int opcode, boolean signaled, long address, int lengthBytes) {
        int at = nextInChain();
        memory.putLong(at, identifier);
        memory.putInt(at + 24, 1);
        memory.putInt(at + 28, opcode);
        memory.putInt(
                at + 32, (signaled ? WorkLayout.SIGNALED : 0) | (lengthBytes <= inlineBytes ? WorkLayout.INLINE : 0));
        int part = partAt(chained);
        memory.putLong(part, address);
        memory.putInt(part + 8, lengthBytes);
        chained++;
        return at;
    }

    private int nextInChain() {
        int at = sendRequestAt(chained);
        memory.putLong(at + 8, 0);
        if (chained > 0) {
            memory.putLong(sendRequestAt(chained - 1) + 8, memoryAddress + at);
        }
        return at;
    }

    void postChain() throws IOException {
        if (chained > 0) {
            chained = 0;
            natives._postSend(pair, memoryAddress + sendRequestAt(0));
        }
    }

    /**
     * Sends a control word. None of its kind may be in flight, and the chain must have been posted. Always requests a
     * completion.
     */
    void postWord(int kind, int value) throws IOException {
        int word = sentWordAt + kind % SENT_WORDS * WORD_BYTES;
        wire.putInt(word, kind);
        wire.putInt(word + 4, value);
        wire.putLong(word + 8, 0);
        chain((long) KIND_WORD << 32 | kind, WorkLayout.OPCODE_SEND, true, memoryAddress + word, WORD_BYTES);
        postChain();
    }

    /** Posts an empty write, whose completion shows that all earlier requests are complete. */
    void postMark(long remoteAddress, int key, long number) throws IOException {
        int at = nextInChain();
        memory.putLong(at, (long) KIND_BLOCK << 32 | (number & 0xffff_ffffL));
        memory.putInt(at + 24, 0);
        memory.putInt(at + 28, WorkLayout.OPCODE_WRITE);
        memory.putInt(at + 32, WorkLayout.SIGNALED);
        memory.putLong(at + 40, remoteAddress);
        memory.putInt(at + 48, key);
        natives._postSend(pair, memoryAddress + at);
    }

    // ---- Receiving and completions.

    /** Returns the number of completions, at most {@link #POLLED_AT_ONCE}; they are valid until the next call. */
    int poll() throws IOException {
        int count = natives._pollCQ(completionQueue, POLLED_AT_ONCE, memoryAddress + completionsAt);
        if (count < 0) {
            throw new IOException("the completion queue cannot be read");
        }
        return count;
    }

    private int completionAt(int completion) {
        return completionsAt + completion * WorkLayout.COMPLETION_BYTES;
    }

    int kind(int completion) {
        return (int) (memory.getLong(completionAt(completion)) >>> 32);
    }

    int number(int completion) {
        return (int) memory.getLong(completionAt(completion));
    }

    int status(int completion) {
        return memory.getInt(completionAt(completion) + 8);
    }

    int opcode(int completion) {
        return memory.getInt(completionAt(completion) + 12);
    }

    int lengthBytes(int completion) {
        return memory.getInt(completionAt(completion) + 20);
    }

    int immediate(int completion) {
        return wire.getInt(completionAt(completion) + 24);
    }

    int wordKind(int request) {
        return wire.getInt(wordAt(request));
    }

    int wordValue(int request) {
        return wire.getInt(wordAt(request) + 4);
    }

    /** Returns the index of the block that a {@link #WORD_FILLED} announces. */
    long wordBlock(int request) {
        return wire.getLong(wordAt(request) + 8);
    }

    /** The request has completed, and cannot complete again before it is reposted. */
    void received(int request) {
        if (request < 0 || request >= receives) {
            throw new IllegalStateException("no receive request " + request);
        }
        postedReceives--;
    }

    /** Adds a completed request to those that {@link #postReceives} posts. */
    void repost(int request) {
        memory.putLong(receiveRequestAt(request) + 8, 0);
        if (repostFirst < 0) {
            repostFirst = request;
        } else {
            memory.putLong(receiveRequestAt(repostLast) + 8, memoryAddress + receiveRequestAt(request));
        }
        repostLast = request;
        postedReceives++;
    }

    void postReceives() throws IOException {
        if (repostFirst >= 0) {
            int first = repostFirst;
            repostFirst = -1;
            natives._postRecv(pair, memoryAddress + receiveRequestAt(first));
        }
    }

    /** Requests an event for the next completion, to end a wait. */
    void arm() throws IOException {
        int error = natives._reqNotifyCQ(completionQueue, 0);
        if (error != 0) {
            throw new IOException("the completion queue gives no events: " + Verbs.errorText(error));
        }
    }

    /**
     * Waits for a completion after {@link #arm}, an event of the connection, or the wake-up: see {@link Verbs#await}.
     */
    int await(int wakeUp, long timeoutMs) throws IOException {
        int there = Verbs.await(completionChannel, channel, wakeUp, (int) timeoutMs);
        if ((there & Verbs.COMPLETIONS) != 0) {
            while (natives._getCqEvent(completionChannel, 0) >= 0) {
                natives._ackCqEvent(completionQueue, 1);
            }
        }
        return there;
    }

    // ---- The end.

    /**
     * Waits up to 500 ms until all posted receive requests have completed, since destroying a queue with posted
     * requests causes problems.
     */
    private void drain() throws IOException {
        long deadline = System.nanoTime() + 500_000_000L;
        while (postedReceives > 0 && System.nanoTime() - deadline < 0) {
            int count = poll();
            for (int completion = 0; completion < count; completion++) {
                if (kind(completion) == KIND_RECEIVE) {
                    postedReceives--;
                }
            }
            if (count == 0) {
                Thread.onSpinWait();
                Verbs.await(0, 0, -1, 1);
            }
        }
    }

    /** Disconnects, drains and releases all resources, including the connection and its event channel. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        disconnect();
        try {
            drain();
        } catch (IOException gone) {
            // The pair is destroyed next anyway.
        }
        release();
        natives._destroyCmId(id);
        if (channel != 0) {
            natives._destroyEventChannel(channel);
        }
    }

    /** Releases the resources in the order that the device requires. */
    private void release() {
        closed = true;
        if (pair != 0) {
            natives._destroyQP(id);
        }
        deregister(receiveRegion);
        deregister(localRegion);
        if (completionQueue != 0) {
            natives._destroyCQ(completionQueue);
        }
        if (completionChannel != 0) {
            natives._destroyCompChannel(completionChannel);
        }
        if (domain != 0) {
            natives._deallocPd(domain);
        }
        Verbs.unmap(memoryAddress, memoryBytes);
    }

    private void deregister(long region) {
        if (region != 0) {
            try {
                natives._deregMr(region);
            } catch (IOException held) {
                // The kernel frees it when the process ends; nothing else can be done.
            }
        }
    }
}
