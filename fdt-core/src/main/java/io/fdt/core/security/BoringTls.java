package io.fdt.core.security;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.internal.tcnative.Buffer;
import io.netty.internal.tcnative.SSL;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/**
 * TLS by BoringSSL. Its BIO represents the socket: during a call, it is a window over the received bytes, or over the
 * buffer for the bytes to send. What TLS has to send while it reads waits in the memory of the BIO. TLS consumes all
 * received bytes and keeps an incomplete record.
 */
final class BoringTls extends Tls {
    /** More than the flight of a handshake, an answer and an alert. */
    private static final int CONTROL_BYTES = 16 << 10;

    private final BoringContext context;
    private final long bio;

    /** 0 once it is freed. */
    private long ssl;

    private boolean mayClose;

    BoringTls(BoringContext context, long ssl, ByteBufAllocator allocator) {
        super(allocator);
        this.context = context;
        this.ssl = ssl;
        this.bio = SSL.bioNewByteBuffer(ssl, CONTROL_BYTES);
    }

    @Override
    boolean advance(ByteBuf received, Consumer<ByteBuf> out) throws SSLException {
        while (true) {
            ByteBuffer source = received.nioBuffer();
            int result;
            int error;
            offer(source);
            try {
                result = SSL.doHandshake(ssl);
                error = SSL.getError(ssl, result);
            } finally {
                taken(source);
            }
            received.skipBytes(source.position());
            SSLException failure = result > 0 || isPatient(error) ? null : failure("the handshake failed");
            if (hasControl()) {
                control(out);
            }
            if (failure != null) {
                throw failure;
            }
            if (result > 0 || error == SSL.SSL_ERROR_WANT_READ) {
                return result > 0;
            }
        }
    }

    private static boolean isPatient(int error) {
        return error == SSL.SSL_ERROR_WANT_READ || error == SSL.SSL_ERROR_WANT_WRITE;
    }

    @Override
    public void encrypt(ByteBuffer source, ByteBuffer target) throws SSLException {
        makeRoom(target);
        try {
            while (source.hasRemaining()) {
                int written = SSL.writeToSSL(ssl, addressOf(source), source.remaining());
                if (written <= 0) {
                    throw failure("cannot encrypt");
                }
                source.position(source.position() + written);
            }
        } finally {
            taken(target);
        }
    }

    @Override
    public boolean decrypt(ByteBuffer source, ByteBuffer target) throws SSLException {
        offer(source);
        try {
            while (target.remaining() >= RECORD_ROOM) {
                int read = SSL.readFromSSL(ssl, addressOf(target), target.remaining());
                if (read <= 0) {
                    int error = SSL.getError(ssl, read);
                    if (error == SSL.SSL_ERROR_ZERO_RETURN) {
                        return false;
                    }
                    if (!isPatient(error)) {
                        throw failure("cannot decrypt");
                    }
                    return true;
                }
                target.position(target.position() + read);
            }
            return true;
        } finally {
            taken(source);
        }
    }

    @Override
    public boolean hasControl() {
        return ssl != 0 && (mayClose || SSL.bioLengthNonApplication(bio) > 0);
    }

    @Override
    public void control(ByteBuffer target) throws SSLException {
        makeRoom(target);
        try {
            if (mayClose) {
                mayClose = false;
                var unused = SSL.shutdownSSL(ssl);
            }
        } finally {
            taken(target);
        }
    }

    @Override
    public void closeOutbound() {
        mayClose = true;
    }

    @Override
    public String description() {
        return SSL.getVersion(ssl) + " " + SSL.getCipherForSSL(ssl) + " (BoringSSL)";
    }

    @Override
    public void release() {
        if (ssl != 0) {
            // Also frees its BIO.
            context.free(ssl);
            ssl = 0;
        }
    }

    /** Lets TLS read the bytes between position and limit. */
    private void offer(ByteBuffer source) throws SSLException {
        requireOpen();
        if (source.hasRemaining()) {
            SSL.bioSetByteBuffer(bio, addressOf(source), source.remaining(), false);
        }
    }

    /** Lets TLS write between position and limit, after what was waiting to be sent. */
    private void makeRoom(ByteBuffer target) throws SSLException {
        requireOpen();
        SSL.bioSetByteBuffer(bio, addressOf(target), target.remaining(), true);
        var unused = SSL.bioFlushByteBuffer(bio);
    }

    /** Moves the position past the bytes that TLS has read or written. */
    private void taken(ByteBuffer window) {
        window.position(window.limit() - SSL.bioLengthByteBuffer(bio));
        SSL.bioClearByteBuffer(bio);
    }

    private void requireOpen() throws SSLException {
        if (ssl == 0) {
            throw new SSLException("it was closed");
        }
    }

    private static long addressOf(ByteBuffer buffer) {
        return Buffer.address(buffer) + buffer.position();
    }

    private SSLException failure(String what) {
        WrongIdentityException wrong = context.wrongIdentity(ssl);
        int number = SSL.getLastErrorNumber();
        SSL.clearError();
        SSLException failure =
                new SSLHandshakeException(number == 0 ? what : SSL.getErrorString(Integer.toUnsignedLong(number)));
        if (wrong != null) {
            failure.initCause(wrong);
        }
        return failure;
    }
}
