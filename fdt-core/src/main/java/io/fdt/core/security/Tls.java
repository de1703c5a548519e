package io.fdt.core.security;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;

/**
 * TLS 1.3 on one connection, straight between its owner's buffers, which are all direct: a block is encrypted from its
 * own memory into that which goes to the socket, and received bytes are decrypted into the block that its reader sees.
 * One thread at a time.
 */
public abstract class Tls {
    /** Room in which any one record can be decrypted, and all that TLS itself has to send. */
    public static final int RECORD_ROOM = 17 << 10;

    private static final int PLAIN_RECORD_BYTES = 16 << 10;

    /** More than any cipher of TLS 1.3 adds to a record. */
    private static final int RECORD_OVERHEAD = 128;

    /** The types of records, as their first byte has them. */
    private static final int LEAST_TYPE = 20;

    private static final int GREATEST_TYPE = 23;

    private final ByteBufAllocator allocator;
    private boolean speaksTls;

    Tls(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /** Room for so many bytes when they are encrypted. */
    public static int encryptedBytes(int plainBytes) {
        int records = (plainBytes + PLAIN_RECORD_BYTES - 1) / PLAIN_RECORD_BYTES;
        return plainBytes + records * RECORD_OVERHEAD + RECORD_ROOM;
    }

    /**
     * Goes on with the handshake as far as the received bytes allow.
     *
     * @param received is consumed as far as it belongs to the handshake
     * @param out is given what must be sent
     * @return whether it is complete
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

    /** Encrypts all of the source; the target has {@link #encryptedBytes}. */
    public abstract void encrypt(ByteBuffer source, ByteBuffer target) throws SSLException;

    /**
     * Decrypts records while the target has {@link #RECORD_ROOM}. What is left of the source then is to be passed
     * again, in front of what comes later.
     *
     * @return false when the peer has ended its stream in order
     */
    public abstract boolean decrypt(ByteBuffer source, ByteBuffer target) throws SSLException;

    /** Whether TLS itself has something to send. */
    public abstract boolean hasControl();

    /** Writes what TLS itself has to send into a target with {@link #RECORD_ROOM}. */
    public abstract void control(ByteBuffer target) throws SSLException;

    /** Passes on what TLS itself has to send, if there is anything. */
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

    /** The next {@link #control} makes the goodbye that tells an end from a cut. */
    public abstract void closeOutbound();

    /** After a failure: passes on the alert that tells the peer why, if there is one. */
    public final void alert(Consumer<ByteBuf> out) {
        try {
            if (hasControl()) {
                control(out);
            }
        } catch (SSLException e) {
            // TLS has failed already, for the reason that is reported; an alert is a courtesy.
            return;
        }
    }

    /** What was agreed on, and who encrypts. */
    public abstract String description();

    /** Frees what is outside the heap. Nothing else may be called then. */
    public abstract void release();
}
