package io.fdt.core.security;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;

/**
 * TLS 1.3 on one connection, directly between its owner's direct buffers: a block is encrypted from its own memory into
 * the memory that is passed to the socket, and received bytes are decrypted into the block that the reader uses. One
 * thread at a time.
 */
public abstract class Tls {
    /** Enough space to decrypt any record, and for everything that TLS itself has to send. */
    public static final int RECORD_ROOM = 17 << 10;

    private static final int PLAIN_RECORD_BYTES = 16 << 10;

    /** More than any cipher of TLS 1.3 adds to a record. */
    private static final int RECORD_OVERHEAD = 128;

    /** The types of records, in the record's first byte. */
    private static final int LEAST_TYPE = 20;

    private static final int GREATEST_TYPE = 23;

    private final ByteBufAllocator allocator;
    private boolean speaksTls;

    Tls(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /** The space that this many bytes need when they are encrypted. */
    public static int encryptedBytes(int plainBytes) {
        int records = (plainBytes + PLAIN_RECORD_BYTES - 1) / PLAIN_RECORD_BYTES;
        return plainBytes + records * RECORD_OVERHEAD + RECORD_ROOM;
    }

    /**
     * Continues the handshake as far as the received bytes allow.
     *
     * @param received is consumed as far as it belongs to the handshake
     * @param out receives what must be sent
     * @return whether the handshake is complete
     */
    public final boolean handshake(ByteBuf received, Consumer<ByteBuf> out) throws SSLException {
        if (!speaksTls && received.isReadable()) {
            int type = received.getUnsignedByte(received.readerIndex());
            if (type < LEAST_TYPE || type > GREATEST_TYPE) {
                throw new SSLException("it does not speak TLS");
            }
            speaksTls = true;
        }
        return advance(received, out);
    }

    abstract boolean advance(ByteBuf received, Consumer<ByteBuf> out) throws SSLException;

    /** Encrypts all of the source; the target has {@link #encryptedBytes} of space. */
    public abstract void encrypt(ByteBuffer source, ByteBuffer target) throws SSLException;

    /**
     * Decrypts records while the target has {@link #RECORD_ROOM}. The caller passes what is left of the source again,
     * before later bytes.
     *
     * @return false if the peer has ended its stream in order
     */
    public abstract boolean decrypt(ByteBuffer source, ByteBuffer target) throws SSLException;

    /** Whether TLS itself has something to send. */
    public abstract boolean hasControl();

    /** Writes what TLS itself has to send to a target with {@link #RECORD_ROOM}. */
    public abstract void control(ByteBuffer target) throws SSLException;

    /** Passes on what TLS itself has to send, if anything. */
    public final void control(Consumer<ByteBuf> out) throws SSLException {
        ByteBuf packet = allocator.directBuffer(RECORD_ROOM, RECORD_ROOM);
        try {
            ByteBuffer target = packet.nioBuffer(0, RECORD_ROOM);
            control(target);
            if (target.position() > 0) {
                out.accept(packet.retain().writerIndex(target.position()));
            }
        } finally {
            packet.release();
        }
    }

    /** Has the next {@link #control} send the closing alert, which distinguishes an end from a cut. */
    public abstract void closeOutbound();

    /** After a failure: passes on the alert that tells the peer the reason, if there is one. */
    public final void alert(Consumer<ByteBuf> out) {
        try {
            if (hasControl()) {
                control(out);
            }
        } catch (SSLException e) {
            // TLS has already failed for the reported reason; the alert is optional.
            return;
        }
    }

    /** The negotiated parameters, and the provider. */
    public abstract String description();

    /** Frees the memory outside the heap. No other method may be called afterwards. */
    public abstract void release();
}
