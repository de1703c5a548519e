package io.fdt.core.transport;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The queues of an RDMA device as they are, for measuring what stands below lanes: reads of the peer's memory, messages
 * over reliable connections, and datagrams. The address of the other end, and its grants, are exchanged as bytes over
 * an existing connection; so nobody listens for any of it. Sending, reading, receiving and polling allocate nothing.
 * What the device or the system refuses is a {@link java.io.UncheckedIOException}.
 *
 * <p>One thread at a time for all that was made here. Closing closes all of it.
 */
public interface DeviceQueues extends AutoCloseable {
    /** What a queue pair carries. */
    enum Kind {
        /** A reliable connection to one peer: messages of any length, and reads. */
        RELIABLE,
        /** Messages of at most one packet, to anybody; they may be lost or overtake each other. */
        DATAGRAM
    }

    /** What is in front of a datagram that was received: who sent it, as the network says. */
    int DATAGRAM_HEADER_BYTES = 40;

    String device();

    /**
     * The device, its port and its address there, in one word: what one of these reaches another of the same name does,
     * too.
     */
    String endpoint();

    /** The most that a datagram may hold. */
    int datagramBytes();

    /** Memory that the device reaches; {@code readable} by peers that are granted parts of it, and by nobody else. */
    Memory memory(long lengthBytes, boolean readable);

    /**
     * The same for all of a direct buffer, which must not be given back to the system before these queues are closed.
     */
    Memory memory(ByteBuffer bytes, boolean readable);

    /**
     * A queue pair.
     *
     * @param sends requests to send or read that are under way at most
     * @param receives the same for receiving
     * @param inlineBytes that a message may hold to be sent inline; fewer where the device does not take as many
     */
    Pair pair(Kind kind, int sends, int receives, int inlineBytes);

    /** What a peer has granted, as it told it. */
    Granted granted(byte[] grant);

    @Override
    void close();

    interface Memory {
        ByteBuffer bytes();

        /** What a peer needs to read this part, to be told to it; from memory that is readable only. */
        byte[] grant(long at, long lengthBytes);
    }

    /** A queue pair with its completions. A number given with a request comes back with its completion. */
    interface Pair {
        /** How others reach it: to be told to them. */
        byte[] address();

        int inlineBytes();

        /** Makes the connection of a reliable pair, at both ends, before anything is sent. */
        void connect(byte[] peerAddress);

        /** Someone to send datagrams to. */
        Peer peer(byte[] address);

        /**
         * Sends a message to the connected peer. Inline, its bytes are taken at once and may be changed after the call.
         */
        void send(Memory from, int at, int lengthBytes, int number);

        void send(Memory from, int at, int lengthBytes, Peer to, int number);

        /** A request to receive one message. Datagrams come with {@link #DATAGRAM_HEADER_BYTES} in front. */
        void receive(Memory into, int at, int lengthBytes, int number);

        /**
         * Reads what the peer has granted.
         *
         * @param grantedAt from here on, counted from the beginning of the grant; what is outside of it is refused at
         * once
         */
        void read(Memory into, int at, int lengthBytes, Granted granted, long grantedAt, int number);

        /** How many completions there are now; the calls below tell of them until the next poll. */
        int poll();

        int number(int completion);

        boolean isReceived(int completion);

        /** Null for what went well. */
        @Nullable String failure(int completion);

        /** Of what was received, the header of a datagram included. */
        int lengthBytes(int completion);
    }

    /** A part of a peer's memory that may be read. */
    interface Granted {}

    /** A remote end of datagrams. */
    interface Peer {}
}
