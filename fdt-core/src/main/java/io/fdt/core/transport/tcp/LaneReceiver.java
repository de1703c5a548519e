package io.fdt.core.transport.tcp;

import io.fdt.core.transport.Delivery;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.tcp.LaneMemory.NetworkBuffer;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a running lane. Everything is received into one block, which is filled until the bytes that
 * the handler wants are there; with TLS first into a buffer of encrypted bytes, from which whole records are decrypted
 * into the block. The lane's thread only.
 */
final class LaneReceiver {
    /** Encrypted bytes received at once: eight full records, and room for one that is not whole yet. */
    private static final int ENCRYPTED_BYTES = 8 * ((16 << 10) + 128) + LaneTls.RECORD_ROOM;

    /** What the receiver needs to know of its lane. */
    interface Owner {
        /** Whether the handler may still be called. */
        boolean isDelivering();

        /** The handler is about to be called, or has been. */
        void inHandler(boolean inside);

        /** The handler broke its contract or threw; it is not called again but for its end. */
        void onHandlerFailed(Throwable failure);
    }

    private final Owner owner;
    private final Delivery delivery;
    private final @Nullable LaneTls tls;
    private final Consumer<ByteBuf> out;
    private final TcpBlock block;
    private final NetworkBuffer network;
    private final ByteBuffer encrypted;
    private final ByteBuffer decrypted;
    private int consumedBytes;
    private int filledBytes;
    private boolean peerSaidGoodbye;

    /** How much memory the two cuts take. */
    static int[] capacities(int blockBytes, @Nullable LaneTls tls) {
        return tls == null ? new int[] {blockBytes} : new int[] {blockBytes + LaneTls.RECORD_ROOM, ENCRYPTED_BYTES};
    }

    LaneReceiver(
            Owner owner,
            LaneHandler handler,
            int blockBytes,
            @Nullable LaneTls tls,
            Consumer<ByteBuf> out,
            LaneMemory memory) {
        this.owner = owner;
        this.delivery = new Delivery(handler, blockBytes, owner::isDelivering);
        this.tls = tls;
        this.out = out;
        int[] capacities = capacities(blockBytes, tls);
        ByteBuffer plain = memory.cut(capacities[0]);
        ByteBuffer fromNetwork = tls == null ? plain : memory.cut(capacities[1]);
        this.block = new TcpBlock(null, plain, fromNetwork);
        this.encrypted = fromNetwork.duplicate().limit(0);
        this.decrypted = plain.duplicate();
        this.network = new NetworkBuffer(fromNetwork, memory::partBack);
        network.wake(0, 0);
        memory.partOut();
    }

    /** The destination of the next read: behind what is there already. */
    ByteBuf buffer() {
        return network.retain();
    }

    /** The destination of the next read when the data is not needed any more. */
    ByteBuf bufferToDrop() {
        return network.setIndex(0, 0).retain();
    }

    /** Takes bytes that were received before this was there, or elsewhere. */
    void take(ByteBuf bytes) throws SSLException {
        try {
            while (bytes.isReadable() && owner.isDelivering() && !peerSaidGoodbye) {
                network.writeBytes(bytes, Math.min(bytes.readableBytes(), network.writableBytes()));
                onRead();
            }
        } finally {
            bytes.release();
        }
    }

    /** The last read has put bytes into {@link #buffer}. */
    void onRead() throws SSLException {
        if (tls == null) {
            filledBytes = network.writerIndex();
            deliver(false);
            makeRoom(1);
            network.setIndex(0, filledBytes);
        } else {
            decrypt(tls);
        }
    }

    private void decrypt(LaneTls laneTls) throws SSLException {
        encrypted.limit(network.writerIndex()).position(network.readerIndex());
        while (owner.isDelivering() && encrypted.hasRemaining()) {
            decrypted.clear().position(filledBytes);
            SSLEngineResult.Status status = laneTls.decrypt(encrypted, decrypted, out);
            filledBytes = decrypted.position();
            if (status == SSLEngineResult.Status.CLOSED) {
                peerSaidGoodbye = true;
                return;
            }
            deliver(false);
            makeRoom(LaneTls.RECORD_ROOM);
            if (status == SSLEngineResult.Status.BUFFER_UNDERFLOW) {
                break;
            }
        }
        if (!encrypted.hasRemaining()) {
            encrypted.clear().limit(0);
        } else if (encrypted.capacity() - encrypted.limit() < LaneTls.RECORD_ROOM) {
            encrypted.compact().flip();
        }
        network.setIndex(encrypted.position(), encrypted.limit());
    }

    /** With TLS: whether the peer has ended its stream in order, not just been cut off. */
    boolean peerSaidGoodbye() {
        return peerSaidGoodbye;
    }

    /** Delivers what is left; returns how many bytes the handler did not take. */
    int onEndOfStream() {
        deliver(true);
        return filledBytes - consumedBytes + encrypted.remaining();
    }

    /** Hands out received bytes as long as there are as many as the handler wants, or all when the stream has ended. */
    private void deliver(boolean ended) {
        owner.inHandler(true);
        try {
            consumedBytes = delivery.handOut(block, consumedBytes, filledBytes, filledBytes, ended);
        } catch (RuntimeException | Error e) {
            owner.onHandlerFailed(e);
        } finally {
            owner.inHandler(false);
        }
    }

    /**
     * Moves the tail to the front of the block where the wanted bytes would not fit behind it, or less than this much
     * could be received. Mostly there is no tail, or it may stay where it is.
     */
    private void makeRoom(int leastBytes) {
        if (filledBytes == consumedBytes) {
            filledBytes = 0;
            consumedBytes = 0;
            return;
        }
        if (consumedBytes == 0 || !owner.isDelivering()) {
            return;
        }
        int capacity = block.capacity();
        boolean fits;
        try {
            fits = capacity - consumedBytes >= delivery.wantedBytes();
        } catch (RuntimeException | Error e) {
            owner.onHandlerFailed(e);
            return;
        }
        if (!fits || capacity - filledBytes < leastBytes) {
            ByteBuffer view = block.buffer();
            view.limit(filledBytes).position(consumedBytes);
            view.compact();
            filledBytes -= consumedBytes;
            consumedBytes = 0;
        }
    }

    /** The lane is over: nothing is read any more. */
    void release() {
        network.release();
    }
}
