package io.fdt.core.nettest.stream;

import io.fdt.core.nettest.LaneBytes;
import io.fdt.core.nettest.MeasuredLane;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import java.nio.ByteBuffer;

/**
 * A lane that sends and receives in turns, each after the previous one is done. It uses calls of its own thread if the
 * transport allows it, otherwise blocks. A turn allocates nothing.
 */
abstract class TurnLane extends MeasuredLane {
    /** The first bytes of a turn, which are kept, or sent unchanged, when blocks are used. */
    static final int HEAD_BYTES = 8;

    /** A larger amount is received in pieces, into the same memory. */
    private static final int MAX_ROOM_BYTES = 1 << 20;

    /** The bytes of small messages that one call carries. */
    static final int CALL_BYTES = 128 << 10;

    private final boolean polling;
    private final int roomBytes;
    private final LaneBytes memory;
    private LaneBytes source;
    private boolean direct;
    private boolean sending;
    private long bytes;
    private long left;
    private int messageBytes;
    private boolean together;
    /** Received in blocks before their turn. */
    private long early;

    /** Examines up to this many received bytes of a turn, and polls the kernel or waits in it. */
    TurnLane(Lane lane, int mostBytes, boolean polling) {
        super(lane);
        this.polling = polling;
        this.roomBytes = roomBytes(mostBytes);
        this.memory = new LaneBytes(roomBytes);
        this.source = memory;
    }

    private static int roomBytes(int mostBytes) {
        return Math.max(HEAD_BYTES, Math.min(mostBytes, MAX_ROOM_BYTES));
    }

    /** What a lane allocates that examines up to this many bytes of a turn. */
    static long memoryBytes(int mostBytes) {
        return LaneBytes.allocated(roomBytes(mostBytes));
    }

    /** Begins the next turn with {@link #send} or {@link #receive}; false if there is none. */
    abstract boolean next();

    boolean mayGoDirectly() {
        return true;
    }

    /** How many bytes may be received before their turn. */
    long mostEarlyBytes() {
        return 0;
    }

    final ByteBuffer received() {
        return memory.buffer();
    }

    /** Sends one message, from the start of this memory. */
    final boolean send(LaneBytes from, int lengthBytes) {
        return send(from, lengthBytes, lengthBytes, false);
    }

    /** Sends messages of this size, from memory that contains one, one or many with each call. */
    final boolean send(LaneBytes from, long lengthBytes, int ofMessageBytes, boolean manyACall) {
        source = from;
        messageBytes = ofMessageBytes;
        together = manyACall;
        return begin(true, lengthBytes);
    }

    final boolean receive(long lengthBytes) {
        begin(false, lengthBytes);
        long came = Math.min(early, left);
        early -= came;
        left -= came;
        return true;
    }

    private boolean begin(boolean send, long lengthBytes) {
        sending = send;
        bytes = lengthBytes;
        left = lengthBytes;
        return true;
    }

    /** A call carries complete messages, as many as there is room for. */
    private int callBytes(int room) {
        return together ? Math.max(1, room / messageBytes) * messageBytes : messageBytes;
    }

    @Override
    protected final void onBegin() {
        // The first turn may have arrived before the start. A part of it is rare: then blocks are used.
        boolean clean = left == 0 || left == bytes;
        DirectStream stream = clean && mayGoDirectly() ? lane().takeOver() : null;
        if (stream == null) {
            goOn();
            return;
        }
        direct = true;
        goDirectly(stream, this::goOn);
    }

    private void goOn(DirectStream stream) {
        boolean going = left > 0 || next();
        while (going) {
            going = (sending ? sendAll(stream) : receiveAll(stream)) && next();
        }
    }

    private boolean sendAll(DirectStream stream) {
        int callBytes = callBytes(CALL_BYTES);
        for (; left > 0; left -= callBytes) {
            if (!sendAll(stream, source.address(), (int) Math.min(left, callBytes))) {
                return false;
            }
        }
        return true;
    }

    /** What fits into the memory is stored there completely, in however many pieces it arrived. */
    private boolean receiveAll(DirectStream stream) {
        while (left > 0) {
            int at = (int) ((bytes - left) % roomBytes);
            int room = (int) Math.min(left, roomBytes - at);
            long address = memory.address() + at;
            int came = polling ? stream.receivePolling(address, room) : stream.receive(address, room);
            if (came == DirectStream.END) {
                return false;
            }
            left -= came;
        }
        return true;
    }

    // ---- With blocks.

    private void goOn() {
        while (!isClosed() && (left == 0 || sending)) {
            if (left == 0) {
                if (!next()) {
                    end();
                }
            } else if (!sendBlock()) {
                return;
            }
        }
    }

    /** One message in a block, or as many as there is room for; a longer message is sent in several blocks. */
    private boolean sendBlock() {
        Block block = lane().acquire();
        if (block == null) {
            return false;
        }
        int room = lane().blockBytes();
        int length = messageBytes <= room
                ? (int) Math.min(left, callBytes(room))
                : (int) Math.min((left - 1) % messageBytes + 1, room);
        if (left == bytes) {
            block.buffer().put(0, source.buffer(), 0, Math.min(length, HEAD_BYTES));
        }
        block.buffer().limit(length);
        left -= length;
        lane().send(block);
        return true;
    }

    @Override
    public final void onSendable() {
        if (!direct && sending && left > 0) {
            goOn();
        }
    }

    @Override
    public final void onReceived(Block block) {
        ByteBuffer came = block.buffer();
        if (!sending && left > 0) {
            int at = (int) Math.min(bytes - left, HEAD_BYTES);
            int taken = (int) Math.min(left, came.remaining());
            received().put(at, came, came.position(), Math.min(taken, HEAD_BYTES - at));
            came.position(came.position() + taken);
            left -= taken;
        }
        early += came.remaining();
        came.position(came.limit());
        if (early > mostEarlyBytes()) {
            throw misfit("data that was not requested");
        }
        if (isBegun() && !sending) {
            goOn();
        }
    }
}
