package io.fdt.core.transport.tcp;

import io.fdt.core.security.Tls;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Connection;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.LaneBlock;
import io.fdt.core.transport.LaneMemory;
import io.fdt.core.transport.LaneStream;
import io.fdt.core.transport.ThreadedLane;
import io.fdt.core.transport.WakeUp;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * A lane's encrypted bytes, over the stream of its socket. A block is encrypted as a whole into the memory that is sent
 * from, once everything before it has been sent. Received records are decrypted directly into the lane's block.
 */
final class TlsStream extends LaneStream {
    /** Encrypted bytes received at once: eight full records, and room for an incomplete one. */
    static final int RECEIVE_BYTES = 8 * ((16 << 10) + 128) + Tls.RECORD_ROOM;

    /** The buffers of the lane's thread. */
    private static final class Buffers {
        final LaneMemory memory;
        /** The bytes between position and limit are to be sent. */
        final LaneBlock outgoing;

        final LaneBlock incoming;
        /** The received bytes between position and limit are to be decrypted. */
        final ByteBuffer encrypted;

        Buffers(int sendBytes) {
            memory = new LaneMemory(sendBytes, RECEIVE_BYTES);
            outgoing = memory.cut(null, sendBytes);
            incoming = memory.cut(null, RECEIVE_BYTES);
            outgoing.buffer().limit(0);
            encrypted = incoming.buffer().duplicate().limit(0);
        }
    }

    private final LaneStream socket;
    private final Tls tls;
    /** What comes before everything that the socket receives. */
    private @Nullable ByteBuf decrypted;

    private @Nullable Buffers buffers;
    private boolean goodbyeMade;
    private boolean peerSaidGoodbye;

    /** @param decrypted what was already received and decrypted; null for nothing */
    TlsStream(LaneStream socket, Tls tls, @Nullable ByteBuf decrypted) {
        super(socket.peer());
        this.socket = socket;
        this.tls = tls;
        this.decrypted = decrypted;
    }

    @Override
    public void begin(int threadNumber, BooleanSupplier ending) {
        socket.begin(threadNumber, ending);
        buffers = new Buffers(Tls.encryptedBytes(ThreadedLane.BLOCK_BYTES));
    }

    private Buffers begun() {
        if (buffers == null) {
            throw new IllegalStateException("the lane has not begun");
        }
        return buffers;
    }

    @Override
    public void await(boolean toReceive, boolean toSend, WakeUp woken, long nanos) {
        socket.await(toReceive, toSend, woken, nanos);
    }

    // ---- Sending.

    @Override
    public void send(Block block) {
        if (peerSaidGoodbye) {
            // The data is dropped, and TLS creates no more.
            block.buffer().position(block.buffer().limit());
            return;
        }
        ByteBuffer target = begun().outgoing.buffer();
        try {
            tls.encrypt(block.buffer(), target.clear());
        } catch (SSLException failure) {
            throw Failures.lost(peer(), failure);
        } finally {
            target.flip();
        }
        var unused = flush();
    }

    @Override
    public boolean flush() {
        if (hasPending()) {
            socket.send(begun().outgoing);
        }
        return !hasPending();
    }

    @Override
    public boolean hasPending() {
        return buffers != null && buffers.outgoing.buffer().hasRemaining();
    }

    @Override
    public boolean awaitRoom(int patienceMs) {
        return socket.awaitRoom(patienceMs);
    }

    @Override
    public boolean endSending() {
        if (buffers != null && !goodbyeMade && !peerSaidGoodbye) {
            goodbyeMade = true;
            tls.closeOutbound();
            sendControl();
        }
        return flush() && socket.endSending();
    }

    /** Adds what TLS itself has to send after the bytes that are to be sent. */
    private void sendControl() {
        ByteBuffer target = begun().outgoing.buffer();
        target.compact();
        try {
            tls.control(target);
        } catch (SSLException failure) {
            throw Failures.lost(peer(), failure);
        } finally {
            target.flip();
        }
    }

    // ---- Receiving.

    @Override
    public int leastRoomBytes() {
        return Tls.RECORD_ROOM;
    }

    @Override
    public int receive(Block block, int from) {
        Buffers own = begun();
        ByteBuf first = decrypted;
        if (first != null) {
            return takeDecrypted(first, block, from);
        }
        try {
            int filled = decrypt(own, block, from);
            if (filled == from && !peerSaidGoodbye && receiveRecords(own)) {
                filled = decrypt(own, block, from);
            }
            return filled > from || !peerSaidGoodbye ? filled - from : DirectStream.END;
        } catch (SSLException failure) {
            throw Failures.lost(peer(), failure);
        }
    }

    private int takeDecrypted(ByteBuf first, Block block, int from) {
        int taken = Math.min(first.readableBytes(), block.capacity() - from);
        first.readBytes(block.buffer().limit(from + taken).position(from));
        if (!first.isReadable()) {
            first.release();
            decrypted = null;
        }
        return taken;
    }

    private boolean receiveRecords(Buffers own) {
        ByteBuffer encrypted = own.encrypted;
        if (encrypted.capacity() - encrypted.limit() < Tls.RECORD_ROOM || !encrypted.hasRemaining()) {
            encrypted.compact().flip();
        }
        int came = socket.receive(own.incoming, encrypted.limit());
        if (came == DirectStream.END) {
            throw lost("it disconnected without closing the session");
        }
        encrypted.limit(encrypted.limit() + came);
        return came > 0;
    }

    /** Decrypts the complete records, as many as the block has room for. Returns their end index in the block. */
    private int decrypt(Buffers own, Block block, int from) throws SSLException {
        ByteBuffer target = block.buffer().limit(block.capacity()).position(from);
        boolean more = true;
        while (more && own.encrypted.hasRemaining() && target.remaining() >= Tls.RECORD_ROOM) {
            peerSaidGoodbye = !tls.decrypt(own.encrypted, target);
            more = !peerSaidGoodbye && tls.hasControl();
            if (more) {
                sendControl();
            }
        }
        return target.position();
    }

    @Override
    public int receiveUnneeded(Block block) {
        return socket.receive(begun().incoming, 0);
    }

    // ---- The connection.

    @Override
    public boolean isClear() {
        return false;
    }

    @Override
    public Connection connection() {
        return socket.connection();
    }

    // ---- The end.

    @Override
    public void breakOff() {
        socket.breakOff();
    }

    @Override
    protected void free() {
        socket.close();
        tls.release();
        if (decrypted != null) {
            decrypted.release();
            decrypted = null;
        }
        if (buffers != null) {
            buffers.memory.close();
        }
    }
}
