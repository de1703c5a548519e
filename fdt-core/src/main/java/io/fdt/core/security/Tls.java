package io.fdt.core.security;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.internal.tcnative.Buffer;
import io.netty.internal.tcnative.SSL;
import java.nio.ByteBuffer;
import java.security.cert.CertificateException;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/**
 * TLS 1.3 on one connection, directly between its owner's direct buffers: a block is encrypted from its own memory into
 * the memory that is passed to the socket, and received bytes are decrypted into the block that the reader uses. One
 * thread at a time.
 *
 * <p>BoringSSL's BIO represents the socket: during a call, it is a window over the received bytes, or over the buffer
 * for the bytes to send. What TLS has to send while it reads waits in the memory of the BIO. TLS consumes all received
 * bytes and keeps an incomplete record.
 */
public final class Tls {
    /** Enough space to decrypt any record, and for everything that TLS itself has to send. */
    public static final int RECORD_ROOM = 17 << 10;

    private static final int PLAIN_RECORD_BYTES = 16 << 10;

    /** More than any cipher of TLS 1.3 adds to a record. */
    private static final int RECORD_OVERHEAD = 128;

    /** The types of records, in the record's first byte. */
    private static final int MIN_TYPE = 20;

    private static final int GREATEST_TYPE = 23;

    /** More than the flight of a handshake, an answer and an alert. */
    private static final int CONTROL_BYTES = 16 << 10;

    /** The part of BoringSSL's error numbers that is the reason. */
    private static final int REASON_BITS = 0xfff;

    /** The reason if the peer sent the alert bad_certificate, number 42. */
    private static final int REFUSED_CERTIFICATE = 1000 + 42;

    private final TlsContext context;
    private final ByteBufAllocator allocator;
    private final long bio;

    /** 0 once it is freed. */
    private long ssl;

    private boolean mayClose;
    private boolean speaksTls;

    Tls(TlsContext context, long ssl, ByteBufAllocator allocator) {
        this.context = context;
        this.allocator = allocator;
        this.ssl = ssl;
        this.bio = SSL.bioNewByteBuffer(ssl, CONTROL_BYTES);
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
    public boolean handshake(ByteBuf received, Consumer<ByteBuf> out) throws SSLException {
        if (!speaksTls && received.isReadable()) {
            int type = received.getUnsignedByte(received.readerIndex());
            if (type < MIN_TYPE || type > GREATEST_TYPE) {
                throw new SSLException("it does not speak TLS");
            }
            speaksTls = true;
        }
        return advance(received, out);
    }

    private boolean advance(ByteBuf received, Consumer<ByteBuf> out) throws SSLException {
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

    /** Encrypts all of the source; the target has {@link #encryptedBytes} of space. */
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

    /**
     * Decrypts records while the target has {@link #RECORD_ROOM}. The caller passes what is left of the source again,
     * before later bytes.
     *
     * @return false if the peer has ended its stream in order
     */
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

    /** Whether TLS itself has something to send. */
    public boolean hasControl() {
        return ssl != 0 && (mayClose || SSL.bioLengthNonApplication(bio) > 0);
    }

    /** Writes what TLS itself has to send to a target with {@link #RECORD_ROOM}. */
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

    /** Passes on what TLS itself has to send, if anything. */
    public void control(Consumer<ByteBuf> out) throws SSLException {
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
    public void closeOutbound() {
        mayClose = true;
    }

    /** After a failure: passes on the alert that tells the peer the reason, if there is one. */
    public void alert(Consumer<ByteBuf> out) {
        try {
            if (hasControl()) {
                control(out);
            }
        } catch (SSLException e) {
            // TLS has already failed for the reported reason; the alert is optional.
            return;
        }
    }

    /** The negotiated parameters, and the implementation. */
    public String description() {
        return SSL.getVersion(ssl) + " " + SSL.getCipherForSSL(ssl) + " (BoringSSL)";
    }

    /** Frees the memory outside the heap. No other method may be called afterwards. */
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
        CertificateException objection = context.objection(ssl);
        int number = SSL.getLastErrorNumber();
        SSL.clearError();
        if ((number & REASON_BITS) == REFUSED_CERTIFICATE) {
            return new NoKeyException();
        }
        SSLException failure =
                new SSLHandshakeException(number == 0 ? what : SSL.getErrorString(Integer.toUnsignedLong(number)));
        if (objection != null) {
            failure.initCause(objection);
        }
        return failure;
    }
}
