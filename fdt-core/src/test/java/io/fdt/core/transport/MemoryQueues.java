package io.fdt.core.transport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Queues of a simulated device: pairs in one process that reach each other through a {@link Fabric}. Reads need a
 * grant, and the queues that gave it must be open. A datagram is lost if no receive request is posted for it, or if the
 * fabric loses it.
 */
public final class MemoryQueues implements DeviceQueues {
    private static final int DATAGRAM_BYTES = 1024;

    private final Fabric fabric;
    private final String endpoint;
    private final List<End> pairs = new ArrayList<>();
    private boolean closed;

    /** The fabric that connects the pairs, and counts the queues that are open. */
    public static final class Fabric {
        private final Map<Integer, End> ends = new HashMap<>();
        private final Map<Integer, Registered> grants = new HashMap<>();
        private int next;
        private int open;
        private int datagrams;
        private int loseEach;
        private int reads;
        private long grantedBytes;

        /** Loses every {@code count}-th datagram from now on; 0 for none. */
        public synchronized void loseEach(int count) {
            loseEach = count;
        }

        public synchronized int open() {
            return open;
        }

        public synchronized int reads() {
            return reads;
        }

        /** Returns the bytes of all grants that were ever given. */
        public synchronized long grantedBytes() {
            return grantedBytes;
        }

        public synchronized int grants() {
            return grants.size();
        }
    }

    private record Registered(MemoryQueues by, ByteBuffer bytes) {}

    /** @param endpoint the name of the device port; queues with the same name share a port */
    public MemoryQueues(Fabric fabric, String endpoint) {
        this.fabric = fabric;
        this.endpoint = endpoint;
        synchronized (fabric) {
            fabric.open++;
        }
    }

    private static byte[] toBytes(int value) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
    }

    private static int toNumber(byte[] bytes) {
        if (bytes.length != Integer.BYTES) {
            throw new IllegalArgumentException(bytes.length + " bytes");
        }
        return ByteBuffer.wrap(bytes).getInt();
    }

    @Override
    public String endpoint() {
        return endpoint;
    }

    @Override
    public int datagramBytes() {
        return DATAGRAM_BYTES;
    }

    @Override
    public Memory memory(long lengthBytes, boolean readable) {
        return memory(ByteBuffer.allocate((int) lengthBytes), readable);
    }

    @Override
    public Memory memory(ByteBuffer bytes, boolean readable) {
        return new Room(bytes, readable);
    }

    private final class Room implements Memory {
        private final ByteBuffer bytes;
        private final boolean readable;

        Room(ByteBuffer bytes, boolean readable) {
            this.bytes = bytes.duplicate().clear();
            this.readable = readable;
        }

        @Override
        public ByteBuffer bytes() {
            return bytes.duplicate();
        }

        @Override
        public byte[] grant(long at, long lengthBytes) {
            if (!readable) {
                throw new IllegalStateException("not readable");
            }
            synchronized (fabric) {
                int key = ++fabric.next;
                fabric.grants.put(key, new Registered(MemoryQueues.this, bytes.slice((int) at, (int) lengthBytes)));
                fabric.grantedBytes += lengthBytes;
                return toBytes(key);
            }
        }
    }

    private record Key(int number) implements Granted {}

    private record To(int number) implements Peer {}

    @Override
    public Granted granted(byte[] grant) {
        return new Key(toNumber(grant));
    }

    @Override
    public Pair pair(QueueKind kind, int sends, int receives, int inlineBytes) {
        synchronized (fabric) {
            if (closed) {
                throw new UncheckedIOException(new IOException("closed"));
            }
            End made = new End(++fabric.next, inlineBytes / 2);
            fabric.ends.put(made.own, made);
            pairs.add(made);
            return made;
        }
    }

    @Override
    public void close() {
        synchronized (fabric) {
            if (!closed) {
                closed = true;
                fabric.open--;
                pairs.forEach(pair -> fabric.ends.remove(pair.own));
                fabric.grants.values().removeIf(grant -> grant.by == this);
            }
        }
    }

    private record Request(ByteBuffer into, int number) {}

    private record Completion(
            int number, boolean received, @Nullable String failure, int lengthBytes) {}

    /** Guarded by the fabric. */
    private final class End implements Pair {
        private final int own;
        private final int inlineBytes;
        private final Deque<Request> requests = new ArrayDeque<>();
        private final Deque<byte[]> early = new ArrayDeque<>();
        private final Deque<Completion> completions = new ArrayDeque<>();
        private List<Completion> polled = List.of();
        private int peer;

        End(int own, int inlineBytes) {
            this.own = own;
            this.inlineBytes = inlineBytes;
        }

        @Override
        public byte[] address() {
            return toBytes(own);
        }

        @Override
        public int inlineBytes() {
            return inlineBytes;
        }

        @Override
        public void connect(byte[] peerAddress) {
            peer = toNumber(peerAddress);
        }

        @Override
        public Peer peer(byte[] address) {
            return new To(toNumber(address));
        }

        private byte[] copy(Memory from, int at, int lengthBytes) {
            byte[] message = new byte[lengthBytes];
            from.bytes().get(at, message);
            return message;
        }

        @Override
        public void send(Memory from, int at, int lengthBytes, int number) {
            synchronized (fabric) {
                End far = fabric.ends.get(peer);
                completions.add(new Completion(number, false, far == null ? "nobody there" : null, 0));
                if (far != null) {
                    far.early.add(copy(from, at, lengthBytes));
                    far.fill();
                }
            }
        }

        @Override
        public void send(Memory from, int at, int lengthBytes, Peer to, int number) {
            synchronized (fabric) {
                completions.add(new Completion(number, false, null, 0));
                End far = fabric.ends.get(((To) to).number);
                boolean lost = fabric.loseEach > 0 && ++fabric.datagrams % fabric.loseEach == 0;
                if (far != null && !far.requests.isEmpty() && !lost) {
                    byte[] header = "x".repeat(DATAGRAM_HEADER_BYTES).getBytes(StandardCharsets.US_ASCII);
                    ByteBuffer message = ByteBuffer.allocate(header.length + lengthBytes);
                    far.early.add(
                            message.put(header).put(copy(from, at, lengthBytes)).array());
                    far.fill();
                }
            }
        }

        /** Delivers messages to requests while there are both. */
        private void fill() {
            while (!requests.isEmpty() && !early.isEmpty()) {
                Request request = requests.remove();
                byte[] message = early.remove();
                boolean fits = message.length <= request.into.remaining();
                if (fits) {
                    request.into.put(0, message);
                }
                completions.add(
                        new Completion(request.number, true, fits ? null : "too long for the request", message.length));
            }
        }

        @Override
        public void receive(Memory into, int at, int lengthBytes, int number) {
            synchronized (fabric) {
                requests.add(new Request(into.bytes().slice(at, lengthBytes), number));
                fill();
            }
        }

        @Override
        public void read(Memory into, int at, int lengthBytes, Granted granted, long grantedAt, int number) {
            synchronized (fabric) {
                Registered from = fabric.grants.get(((Key) granted).number);
                boolean may = from != null && grantedAt >= 0 && grantedAt <= from.bytes.capacity() - lengthBytes;
                if (from != null && may) {
                    into.bytes().put(at, from.bytes, (int) grantedAt, lengthBytes);
                    fabric.reads++;
                }
                completions.add(new Completion(number, false, may ? null : "remote access error", 0));
            }
        }

        @Override
        public int poll() {
            synchronized (fabric) {
                polled = new ArrayList<>(completions);
                completions.clear();
                return polled.size();
            }
        }

        @Override
        public int number(int completion) {
            return polled.get(completion).number;
        }

        @Override
        public boolean isReceived(int completion) {
            return polled.get(completion).received;
        }

        @Override
        public @Nullable String failure(int completion) {
            return polled.get(completion).failure;
        }

        @Override
        public int lengthBytes(int completion) {
            return polled.get(completion).lengthBytes;
        }
    }
}
