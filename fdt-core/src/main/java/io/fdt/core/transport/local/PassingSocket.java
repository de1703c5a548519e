package io.fdt.core.transport.local;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.SocketCalls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A connection between two processes of one server, over which messages and open descriptors pass. A message is a type
 * and up to {@value #MAX_BYTES} bytes. One thread receives; any may send or {@link #end}.
 */
public final class PassingSocket implements AutoCloseable {
    /** The maximum length of a message. */
    public static final int MAX_BYTES = 16 << 20;

    private static final int HEADER_BYTES = 5;
    private static final int SHUT_BOTH = 2;
    private static final int PART_BYTES = 64 << 10;

    private final int fd;
    private final Object sending = new Object();
    // Guarded by sending.
    private final ByteBuffer part = Kernel.memory(PART_BYTES);
    /** Changed by the holder of this, who may not wait for a sender. */
    private volatile boolean closed;

    /**
     * A received message.
     *
     * @param descriptor that was passed with it, which the receiver owns; -1 for none
     */
    public record Message(int type, byte[] payload, int descriptor) {}

    private PassingSocket(int fd) {
        this.fd = fd;
    }

    /** Waits for the other process at a name of the host; it exists until it is closed. */
    public static final class Listening implements AutoCloseable {
        private static final int BACKLOG = 16;

        private final int fd;
        private final ByteBuffer polled = Kernel.pollMemory();

        public Listening(String name) throws IOException {
            fd = Kernel.newSocket();
            int listening = fd < 0 ? fd : Kernel.listenAt(fd, name, BACKLOG);
            if (listening < 0) {
                if (fd >= 0) {
                    Libc.close(fd);
                }
                throw new IOException(Kernel.reason(-listening));
            }
        }

        /** Returns the connection of this process of this user; null if it has not come within the timeout. */
        public @Nullable PassingSocket accept(long pid, long timeoutMs) {
            if (Kernel.awaitReadable(polled, fd, timeoutMs) <= 0) {
                return null;
            }
            int came = Kernel.acceptFrom(fd);
            if (came < 0) {
                return null;
            }
            Kernel.Peer peer = Kernel.peerOf(came);
            if (peer.pid() != pid || peer.uid() != Libc.geteuid()) {
                Libc.close(came);
                return null;
            }
            return new PassingSocket(came);
        }

        @Override
        public void close() {
            Libc.close(fd);
        }
    }

    /** Connects to the process with this number, of this user. */
    public static PassingSocket connect(String name, long pid) throws IOException {
        int fd = Kernel.newSocket();
        int connected = fd < 0 ? fd : Kernel.connectTo(fd, name);
        Kernel.Peer peer = connected < 0 ? new Kernel.Peer(0, -1) : Kernel.peerOf(fd);
        if (peer.pid() == pid && peer.uid() == Libc.geteuid()) {
            return new PassingSocket(fd);
        }
        if (fd >= 0) {
            Libc.close(fd);
        }
        throw new IOException(connected < 0 ? Kernel.reason(-connected) : "another process listens there");
    }

    public boolean send(int type, byte[] payload) {
        return send(type, payload, -1);
    }

    /**
     * Sends a message; blocks while the other process does not receive. Returns false if the connection has ended.
     *
     * @param descriptor to pass, which stays open here; -1 for none
     */
    public boolean send(int type, byte[] payload, int descriptor) {
        synchronized (sending) {
            return !closed && payload.length <= MAX_BYTES && sendNow(type, payload, descriptor);
        }
    }

    private boolean sendNow(int type, byte[] payload, int descriptor) {
        ByteBuffer header = ByteBuffer.allocateDirect(HEADER_BYTES)
                .put((byte) type)
                .putInt(payload.length)
                .clear();
        int sent;
        do {
            sent = descriptor < 0
                    ? SocketCalls.send(fd, Libc.addressOf(header), HEADER_BYTES, true)
                    : Kernel.sendWith(fd, header, descriptor);
        } while (sent == -SocketCalls.EINTR);
        boolean whole = sent == HEADER_BYTES;
        for (int at = 0; whole && at < payload.length; at += sent) {
            int length = Math.min(PART_BYTES, payload.length - at);
            part.clear().put(payload, at, length);
            sent = SocketCalls.send(fd, Libc.addressOf(part), length, true);
            if (sent == -SocketCalls.EINTR) {
                sent = 0;
            } else if (sent <= 0) {
                whole = false;
            }
        }
        return whole;
    }

    /** Waits for the next message; null if the connection has ended, and an IOException if the message is longer. */
    public @Nullable Message receive(int maxBytes) throws IOException {
        ByteBuffer header = ByteBuffer.allocateDirect(HEADER_BYTES).order(ByteOrder.BIG_ENDIAN);
        Kernel.Received first;
        do {
            first = Kernel.receiveWith(fd, header);
        } while (first.count() == -SocketCalls.EINTR);
        int count = first.count();
        byte[] rest = count <= 0 ? null : payload(HEADER_BYTES - count);
        if (rest == null) {
            return null;
        }
        header.position(count).put(rest).flip();
        int type = header.get();
        int length = header.getInt();
        if (length < 0 || length > maxBytes) {
            if (first.descriptor() >= 0) {
                Libc.close(first.descriptor());
            }
            throw new IOException("it sent a message of more than " + maxBytes + " bytes");
        }
        byte[] payload = payload(length);
        return payload == null ? null : new Message(type, payload, first.descriptor());
    }

    private byte @Nullable [] payload(int length) {
        byte[] bytes = new byte[length];
        ByteBuffer memory = Kernel.memory(Math.max(1, Math.min(length, PART_BYTES)));
        for (int at = 0; at < length; ) {
            int room = Math.min(memory.capacity(), length - at);
            int count = SocketCalls.receive(fd, Libc.addressOf(memory), room, true);
            if (count > 0) {
                memory.clear().get(bytes, at, count);
                at += count;
            } else if (count != -SocketCalls.EINTR) {
                return null;
            }
        }
        return bytes;
    }

    /** Ends the connection at both ends, so that the receiving thread of each returns. */
    public synchronized void end() {
        if (!closed) {
            Libc.shutdown(fd, SHUT_BOTH);
        }
    }

    /** For the receiving thread, or when there is none. */
    @Override
    public void close() {
        // A sender that waits returns now.
        end();
        synchronized (sending) {
            closeOnce();
        }
    }

    private synchronized void closeOnce() {
        if (!closed) {
            closed = true;
            Libc.close(fd);
        }
    }
}
