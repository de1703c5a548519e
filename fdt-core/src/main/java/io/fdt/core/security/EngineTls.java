package io.fdt.core.security;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** TLS by the Java runtime. An incomplete record stays in the buffer. */
final class EngineTls extends Tls {
    private static final int RECORD_HEADER_BYTES = 5;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SSLEngine engine;
    private @Nullable ByteBuffer handshakeScratch;
    private boolean begun;

    EngineTls(SSLEngine engine, ByteBufAllocator allocator) {
        super(allocator);
        this.engine = engine;
    }

    @Override
    public String description() {
        return engine.getSession().getProtocol() + " " + engine.getSession().getCipherSuite() + " (JDK)";
    }

    @Override
    boolean advance(ByteBuf received, Consumer<ByteBuf> out) throws SSLException {
        if (!begun) {
            begun = true;
            engine.beginHandshake();
        }
        while (true) {
            switch (engine.getHandshakeStatus()) {
                case NEED_TASK -> runTasks();
                case NEED_WRAP -> control(out);
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
        // One record at a time: the record after the last one of the handshake may already contain data.
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
        return true;
    }

    private ByteBuffer scratch() {
        ByteBuffer scratch = handshakeScratch;
        if (scratch == null) {
            scratch = ByteBuffer.allocate(RECORD_ROOM);
            handshakeScratch = scratch;
        }
        return scratch;
    }

    @Override
    public void encrypt(ByteBuffer source, ByteBuffer target) throws SSLException {
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
    }

    @Override
    public boolean decrypt(ByteBuffer source, ByteBuffer target) throws SSLException {
        while (source.hasRemaining() && target.remaining() >= RECORD_ROOM && !hasControl()) {
            SSLEngineResult result = engine.unwrap(source, target);
            if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
                runTasks();
            }
            switch (result.getStatus()) {
                case OK -> {}
                case BUFFER_UNDERFLOW -> {
                    return true;
                }
                case CLOSED -> {
                    return false;
                }
                case BUFFER_OVERFLOW -> throw new SSLException("a record longer than TLS allows");
            }
        }
        return true;
    }

    @Override
    public boolean hasControl() {
        return engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP;
    }

    @Override
    public void control(ByteBuffer target) throws SSLException {
        SSLEngineResult result = engine.wrap(NOTHING, target);
        if (result.bytesProduced() == 0
                && (result.getStatus() == SSLEngineResult.Status.CLOSED
                        || result.getHandshakeStatus() == HandshakeStatus.NEED_WRAP)) {
            throw new SSLException("it was closed");
        }
    }

    @Override
    public void closeOutbound() {
        engine.closeOutbound();
    }

    private void runTasks() {
        Runnable task = engine.getDelegatedTask();
        while (task != null) {
            task.run();
            task = engine.getDelegatedTask();
        }
    }

    @Override
    public void release() {
        // Nothing is allocated outside the heap.
    }
}
