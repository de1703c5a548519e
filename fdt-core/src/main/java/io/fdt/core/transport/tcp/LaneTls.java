package io.fdt.core.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.OpenSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * TLS on a lane, straight between the lane's own buffers. Netty's handler would allocate a buffer a record and copy the
 * data once more on either side; here a block is encrypted from its own memory into that which goes to the socket, and
 * received bytes are decrypted into the block that the handler sees. One thread at a time.
 */
final class LaneTls {
    /** Room in which any one record can be decrypted. */
    static final int RECORD_ROOM = 17 << 10;

    private static final int RECORD_HEADER_BYTES = 5;
    private static final int PLAIN_RECORD_BYTES = 16 << 10;

    /** More than any cipher of TLS 1.3 adds to a record. */
    private static final int RECORD_OVERHEAD = 128;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SSLEngine engine;
    private final ByteBufAllocator allocator;
    private final String provider;
    private @Nullable ByteBuffer handshakeScratch;
    private boolean begun;

    LaneTls(SslContext context, ByteBufAllocator allocator) {
        this.engine = context.newEngine(allocator);
        this.allocator = allocator;
        this.provider = providerOf(context);
    }

    static String providerOf(SslContext context) {
        return context instanceof OpenSslContext ? "BoringSSL" : "JDK";
    }

    static String describe(SSLEngine engine, String provider) {
        return engine.getSession().getProtocol() + " " + engine.getSession().getCipherSuite() + " (" + provider + ")";
    }

    /** Room for a block of this capacity when it is encrypted. */
    int encryptedBytes(int blockBytes) {
        int records = (blockBytes + PLAIN_RECORD_BYTES - 1) / PLAIN_RECORD_BYTES;
        return blockBytes + records * RECORD_OVERHEAD + engine.getSession().getPacketBufferSize();
    }

    String description() {
        return describe(engine, provider);
    }

    /**
     * Goes on with the handshake as far as the received bytes allow.
     *
     * @param received is consumed as far as it belongs to the handshake
     * @param out is given what must be sent
     * @return whether it is complete
     */
    boolean handshake(ByteBuf received, Consumer<ByteBuf> out) throws SSLException {
        if (!begun) {
            begun = true;
            engine.beginHandshake();
        }
        while (true) {
            switch (engine.getHandshakeStatus()) {
                case NEED_TASK -> runTasks();
                case NEED_WRAP -> {
                    wrapControl(out);
                    notice();
                }
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    if (!unwrapHandshake(received)) {
                        return false;
                    }
                }
                case NOT_HANDSHAKING, FINISHED -> {
                    handshakeScratch = null;
                    return true;
                }
            }
        }
    }

    private boolean unwrapHandshake(ByteBuf received) throws SSLException {
        if (received.readableBytes() < RECORD_HEADER_BYTES) {
            return false;
        }
        // One record at a time: the one behind the last of the handshake may hold data already.
        int recordBytes = RECORD_HEADER_BYTES + received.getUnsignedShort(received.readerIndex() + 3);
        if (recordBytes > RECORD_ROOM) {
            throw new SSLException("not a TLS record");
        }
        if (received.readableBytes() < recordBytes) {
            return false;
        }
        SSLEngineResult result = engine.unwrap(received.nioBuffer(received.readerIndex(), recordBytes), scratch());
        received.skipBytes(result.bytesConsumed());
        if (result.bytesProduced() > 0) {
            throw new SSLException("data before the end of the handshake");
        }
        if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
            throw new SSLException("closed in the middle of the handshake");
        }
        if (result.bytesConsumed() == 0 && result.getHandshakeStatus() == HandshakeStatus.NEED_UNWRAP) {
            throw new SSLException("no progress in the handshake");
        }
        notice();
        return true;
    }

    /**
     * BoringSSL notices only with the next call what the last one did to the handshake: that it is complete, or why it
     * failed. So it is called with nothing; left to find out with the peer's next record, it would wait for a peer that
     * waits itself, or take data for a part of the handshake.
     */
    private void notice() throws SSLException {
        HandshakeStatus status = engine.getHandshakeStatus();
        if (status == HandshakeStatus.NEED_UNWRAP || status == HandshakeStatus.NEED_UNWRAP_AGAIN) {
            engine.unwrap(NOTHING.duplicate(), scratch());
        }
    }

    private ByteBuffer scratch() {
        ByteBuffer scratch = handshakeScratch;
        if (scratch == null) {
            scratch = ByteBuffer.allocate(RECORD_ROOM);
            handshakeScratch = scratch;
        }
        return scratch;
    }

    /** Encrypts one block; returns the number of bytes written to the target. */
    int encrypt(ByteBuffer source, ByteBuffer target) throws SSLException {
        int start = target.position();
        while (source.hasRemaining()) {
            SSLEngineResult result = engine.wrap(source, target);
            if (result.getStatus() != SSLEngineResult.Status.OK) {
                throw new SSLException("cannot encrypt: " + result.getStatus());
            }
            if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
                runTasks();
            } else if (result.bytesConsumed() == 0 && result.bytesProduced() == 0) {
                throw new SSLException("cannot encrypt: " + result.getHandshakeStatus());
            }
        }
        return target.position() - start;
    }

    /**
     * Decrypts at most one record into a target with {@link #RECORD_ROOM}.
     *
     * @return status OK when it made progress, BUFFER_UNDERFLOW when the record is not whole yet, CLOSED when the peer
     *     has ended its stream in order; and whether TLS itself has something to send: {@link #wrapControl}
     */
    SSLEngineResult decrypt(ByteBuffer source, ByteBuffer target) throws SSLException {
        SSLEngineResult result = engine.unwrap(source, target);
        if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
            runTasks();
        }
        if (result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW) {
            throw new SSLException("a record longer than TLS allows");
        }
        return result;
    }

    /** The next {@link #wrapControl} makes the goodbye that tells an end from a cut. */
    void closeOutbound() {
        engine.closeOutbound();
    }

    /** After a failure: makes the alert that tells the peer why, if there is one. */
    void alert(Consumer<ByteBuf> out) {
        try {
            if (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
                wrapControl(out);
            }
        } catch (SSLException e) {
            // The handshake has failed already, for the reason that is reported; an alert is a courtesy.
            return;
        }
    }

    private void wrapControl(Consumer<ByteBuf> out) throws SSLException {
        int room = engine.getSession().getPacketBufferSize();
        ByteBuf packet = allocator.directBuffer(room, room);
        try {
            int length = wrapControl(packet.nioBuffer(0, room));
            if (length > 0) {
                out.accept(packet.retain().writerIndex(length));
            }
        } finally {
            packet.release();
        }
    }

    /** Writes what TLS itself has to send; returns the number of bytes. */
    int wrapControl(ByteBuffer target) throws SSLException {
        SSLEngineResult result = engine.wrap(NOTHING, target);
        if (result.bytesProduced() == 0
                && (result.getStatus() == SSLEngineResult.Status.CLOSED
                        || result.getHandshakeStatus() == HandshakeStatus.NEED_WRAP)) {
            throw new SSLException("closed");
        }
        return result.bytesProduced();
    }

    private void runTasks() {
        Runnable task = engine.getDelegatedTask();
        while (task != null) {
            task.run();
            task = engine.getDelegatedTask();
        }
    }

    /** Frees what the engine holds outside the heap. */
    void release() {
        ReferenceCountUtil.release(engine);
    }
}
