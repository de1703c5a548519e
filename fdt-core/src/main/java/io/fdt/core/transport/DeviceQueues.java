package io.fdt.core.transport;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The queues of an RDMA device, for measuring the layer below lanes: reads of the peer's memory, messages over reliable
 * connections, and datagrams. The address of the other end, and its grants, are exchanged as bytes over an existing
 * connection, so nothing listens. Sending, reading, receiving and polling allocate nothing. Errors of the device or the
 * system are a {@link java.io.UncheckedIOException}.
 *
 * <p>One thread at a time for everything that was created here. Closing closes all of it.
 */
public interface DeviceQueues extends AutoCloseable {
    /** The type of a queue pair. */
    enum QueueKind {
        /** A reliable connection to one peer: messages of any length, and reads. */
        RELIABLE,
        /** Messages of at most one packet, to any peer; they may be lost or reordered. */
        DATAGRAM
    }

    /** The header before a received datagram, in which the network identifies the sender. */
    int DATAGRAM_HEADER_BYTES = 40;

    /** The device, its port and its address, as one word: queues with the same word reach the same peers. */
    String endpoint();

    int datagramBytes();

    /** Memory that the device can access. If {@code readable}, peers with a grant can read parts of it. */
    Memory memory(long lengthBytes, boolean readable);

    /**
     * Like {@link #memory(long, boolean)}, for a direct buffer, whose memory must not be freed before these queues are
     * closed.
     */
    Memory memory(ByteBuffer bytes, boolean readable);

    /**
     * @param sends maximum pending requests to send or read
     * @param receives maximum pending requests to receive
     * @param inlineBytes maximum size of a message sent inline; fewer if the device does not support as many
     */
    Pair pair(QueueKind kind, int sends, int receives, int inlineBytes);

    /** A grant that a peer sent. */
    Granted granted(byte[] grant);

    @Override
    void close();

    interface Memory {
        ByteBuffer bytes();

        /** The grant to send to a peer so that it can read this part of readable memory. */
        byte[] grant(long at, long lengthBytes);
    }

    /** A queue pair with its completions. The number that is passed with a request is returned with its completion. */
    interface Pair {
        /** The address to send to peers. */
        byte[] address();

        int inlineBytes();

        /** Connects a reliable pair; called at both ends, before anything is sent. */
        void connect(byte[] peerAddress);

        /** A destination for datagrams. */
        Peer peer(byte[] address);

        /** Sends a message to the connected peer. If it is sent inline, its memory may be changed after the call. */
        void send(Memory from, int at, int lengthBytes, int number);

        void send(Memory from, int at, int lengthBytes, Peer to, int number);

        /** Requests to receive one message. A datagram is preceded by {@link #DATAGRAM_HEADER_BYTES}. */
        void receive(Memory into, int at, int lengthBytes, int number);

        /**
         * Reads memory that the peer has granted.
         *
         * @param grantedAt the offset in the grant; a read outside it is refused at once
         */
        void read(Memory into, int at, int lengthBytes, Granted granted, long grantedAt, int number);

        /** Returns the number of completions; the methods below describe them until the next poll. */
        int poll();

        int number(int completion);

        boolean isReceived(int completion);

        /** Null for what went well. */
        @Nullable String failure(int completion);

        /** The length of a received message, including the header of a datagram. */
        int lengthBytes(int completion);
    }

    /** A part of a peer's memory that may be read. */
    interface Granted {}

    /** A remote end of datagrams. */
    interface Peer {}
}
