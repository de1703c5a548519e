package io.fdt.core.nettest.stream;

import io.fdt.core.nettest.DevicePolls;
import io.fdt.core.nettest.QueueUse;
import io.fdt.core.transport.DeviceQueues;
import io.fdt.core.transport.DeviceQueues.Memory;
import io.fdt.core.transport.DeviceQueues.Pair;
import io.fdt.core.transport.DeviceQueues.Peer;
import io.fdt.core.transport.DeviceQueues.QueueKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a ping-pong test over a queue pair. Each begins with a byte of its number, to recognize resent ones.
 * Busy-polls the device, whose errors are an {@link UncheckedIOException}. Allocates nothing after its creation. For
 * one thread.
 */
final class QueueMessages {
    /** None arrived in that time. */
    static final int NONE = -1;

    /** The next one is written while the previous one may still be in flight. */
    private static final int SENDS = 2;

    private static final int RELIABLE_RECEIVES = 2;

    /** Copies of resent messages may arrive in numbers. */
    private static final int DATAGRAM_RECEIVES = 16;

    private static final long SEND_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final DeviceQueues queues;
    private final DevicePolls polls = new DevicePolls();
    private final Pair pair;
    private final boolean datagrams;
    private final int headerBytes;
    private final int strideBytes;
    private final Memory sent;
    private final ByteBuffer sentBytes;
    private final Memory received;
    private final ByteBuffer receivedBytes;
    private @Nullable Peer peer;
    private int sends;
    private int underWay;

    // A ring of what was received and not taken: request numbers and lengths.
    private final int[] cameIn;
    private final int[] cameLength;
    private int first;
    private int waiting;
    private int number;

    QueueMessages(DeviceQueues queues, QueueUse use, int mostBytes) {
        this.queues = queues;
        this.datagrams = use.kind() == QueueKind.DATAGRAM;
        int receives = datagrams ? DATAGRAM_RECEIVES : RELIABLE_RECEIVES;
        this.headerBytes = datagrams ? DeviceQueues.DATAGRAM_HEADER_BYTES : 0;
        this.strideBytes = strideBytes(use, mostBytes);
        this.pair = queues.pair(use.kind(), SENDS, receives, use.inlineBytes());
        this.sent = queues.memory((long) SENDS * strideBytes, false);
        this.sentBytes = sent.bytes();
        this.received = queues.memory((long) receives * strideBytes, false);
        this.receivedBytes = received.bytes();
        this.cameIn = new int[receives];
        this.cameLength = new int[receives];
        for (int index = 0; index < receives; index++) {
            pair.receive(received, index * strideBytes, strideBytes, index);
        }
    }

    /** The memory that messages of this size register. */
    static long memoryBytes(QueueUse use, int mostBytes) {
        int receives = use.kind() == QueueKind.DATAGRAM ? DATAGRAM_RECEIVES : RELIABLE_RECEIVES;
        return (long) (SENDS + receives) * strideBytes(use, mostBytes);
    }

    private static int strideBytes(QueueUse use, int mostBytes) {
        int headerBytes = use.kind() == QueueKind.DATAGRAM ? DeviceQueues.DATAGRAM_HEADER_BYTES : 0;
        return (headerBytes + mostBytes + 63) / 64 * 64;
    }

    byte[] address() {
        return pair.address();
    }

    int inlineBytes() {
        return pair.inlineBytes();
    }

    int datagramBytes() {
        return queues.datagramBytes();
    }

    /** Connects to the pair at that address; at both ends, before anything is sent. */
    void connect(byte[] peerAddress) {
        if (datagrams) {
            peer = pair.peer(peerAddress);
        } else {
            pair.connect(peerAddress);
        }
    }

    /** Sends a message with this number, of which one byte is sent. */
    void send(int lengthBytes, int ofNumber) {
        polls.begin();
        while (underWay == SENDS) {
            poll();
            require(underWay < SENDS || !polls.isOver(SEND_NANOS), "the device did not send a message in time");
        }
        int slot = sends++ % SENDS;
        int at = slot * strideBytes;
        sentBytes.put(at, (byte) ofNumber);
        Peer to = peer;
        if (to != null) {
            pair.send(sent, at, lengthBytes, to, slot);
        } else {
            pair.send(sent, at, lengthBytes, slot);
        }
        underWay++;
    }

    /** Takes the next message and returns its length, or {@link #NONE} if none arrived in about this time. */
    int receive(long whileNanos) {
        polls.begin();
        while (waiting == 0) {
            poll();
            if (waiting == 0 && polls.isOver(whileNanos)) {
                return NONE;
            }
        }
        int request = cameIn[first];
        int length = cameLength[first] - headerBytes;
        number = length < 1 ? NONE : receivedBytes.get(request * strideBytes + headerBytes) & 0xff;
        first = (first + 1) % cameIn.length;
        waiting--;
        pair.receive(received, request * strideBytes, strideBytes, request);
        return Math.max(0, length);
    }

    /** The lowest byte of the number of the last message; {@link #NONE} for an empty one. */
    int number() {
        return number;
    }

    private void poll() {
        int count = pair.poll();
        for (int index = 0; index < count; index++) {
            String failure = pair.failure(index);
            require(failure == null, failure);
            if (pair.isReceived(index)) {
                int at = (first + waiting) % cameIn.length;
                cameIn[at] = pair.number(index);
                cameLength[at] = pair.lengthBytes(index);
                waiting++;
            } else {
                underWay--;
            }
        }
    }

    private static void require(boolean well, @Nullable String what) {
        if (!well) {
            throw new UncheckedIOException(new IOException(what));
        }
    }
}
