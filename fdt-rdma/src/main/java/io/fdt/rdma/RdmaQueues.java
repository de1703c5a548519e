package io.fdt.rdma;

import com.ibm.disni.verbs.impl.NativeDispatcher;
import io.fdt.core.transport.DeviceQueues;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;

/**
 * The queues of the device that has a given local IP address. Everything is in one protection domain: a peer that is
 * granted part of a memory can read all of that memory, but no other.
 */
public final class RdmaQueues implements DeviceQueues {
    static final int GID_BYTES = 16;
    private static final int PORTS = 2;

    private final NativeDispatcher natives = Disni.NATIVES;
    private final long context;
    private final int port;
    private final int gidIndex;
    private final byte[] gid;
    private final int mtuBytes;
    private final long domain;
    private final String endpoint;

    /** Everything created, the newest first, so that nothing is closed before what depends on it. */
    private final Deque<Closeable> made = new ArrayDeque<>();

    private boolean closed;

    /** @throws UncheckedIOException if no device has the address */
    public RdmaQueues(InetAddress local) {
        this(Verbs.devices(), gidOf(local), local.getHostAddress(), 0);
    }

    /**
     * Opens the queues of the device, at the address of one of its ports.
     *
     * @param packetBytes the maximum packet size, or 0 for the port's
     * @throws UncheckedIOException if no port has the address
     */
    RdmaQueues(String device, byte[] gid, int packetBytes) {
        this(new String[] {device}, gid, HexFormat.of().formatHex(gid), packetBytes);
    }

    private RdmaQueues(String[] devices, byte[] gid, String address, int packetBytes) {
        this.gid = gid.clone();
        String foundName = null;
        long foundContext = 0;
        int foundPort = 0;
        int foundIndex = -1;
        for (String name : devices) {
            long candidate = Verbs.openDevice(name);
            for (int number = 1; candidate != 0 && number <= PORTS && foundIndex < 0; number++) {
                foundIndex = Verbs.gidIndex(candidate, number, gid);
                foundPort = number;
            }
            if (foundIndex >= 0) {
                foundName = name;
                foundContext = candidate;
                break;
            }
            if (candidate != 0) {
                Verbs.closeDevice(candidate);
            }
        }
        if (foundName == null) {
            throw new UncheckedIOException(new IOException("no RDMA device has the address " + address));
        }
        context = foundContext;
        port = foundPort;
        gidIndex = foundIndex;
        endpoint = foundName + "/" + port + "/" + HexFormat.of().formatHex(gid);
        try {
            int[] facts = new int[4];
            Verbs.check(Verbs.portFacts(context, port, facts), "the RDMA device does not report its port");
            mtuBytes = packetBytes == 0 ? facts[1] : Math.min(packetBytes, facts[1]);
            domain = Disni.handle(natives._allocPd(context), "protection domain");
        } catch (IOException failed) {
            Verbs.closeDevice(context);
            throw new UncheckedIOException(failed);
        }
    }

    /** Returns the IP address in the form of a port's addresses. */
    private static byte[] gidOf(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (!(address instanceof Inet4Address)) {
            return bytes;
        }
        byte[] gid = new byte[GID_BYTES];
        gid[10] = (byte) 0xff;
        gid[11] = (byte) 0xff;
        System.arraycopy(bytes, 0, gid, 12, bytes.length);
        return gid;
    }

    @Override
    public String endpoint() {
        return endpoint;
    }

    @Override
    public int datagramBytes() {
        return mtuBytes;
    }

    @Override
    public Memory memory(long lengthBytes, boolean readable) {
        return added(() -> RdmaMemory.mapped(domain, lengthBytes, readable));
    }

    @Override
    public Memory memory(ByteBuffer bytes, boolean readable) {
        return added(() -> RdmaMemory.of(domain, bytes, readable));
    }

    @Override
    public Pair pair(QueueKind kind, int sends, int receives, int inlineBytes) {
        return added(() -> new RdmaPair(this, kind, sends, receives, inlineBytes));
    }

    @Override
    public Granted granted(byte[] grant) {
        return Grant.of(grant);
    }

    /** Returns a destination for datagrams, which lives as long as the queues. */
    RdmaPeer peer(PairAddress address) {
        return added(() -> new RdmaPeer(
                Verbs.createAddress(domain, port, gidIndex, address.gid(), address.lid()),
                address.number(),
                address.key()));
    }

    private interface Making<T> {
        T make() throws IOException;
    }

    private <T extends Closeable> T added(Making<T> making) {
        if (closed) {
            throw new IllegalStateException("the queues have been closed");
        }
        try {
            T one = making.make();
            made.push(one);
            return one;
        } catch (IOException refused) {
            throw new UncheckedIOException(refused);
        }
    }

    long context() {
        return context;
    }

    long domain() {
        return domain;
    }

    int port() {
        return port;
    }

    int gidIndex() {
        return gidIndex;
    }

    PairAddress addressOf(int number, int key) {
        int mtu = Integer.numberOfTrailingZeros(mtuBytes) - 7;
        return new PairAddress(gid, Verbs.lid(context, port), mtu, number, key);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        IOException failure = null;
        while (!made.isEmpty()) {
            Closeable one = made.pop();
            failure = Verbs.freed(failure, "close " + one.getClass().getSimpleName(), () -> {
                one.close();
                return 0;
            });
        }
        failure = Verbs.freed(failure, "ibv_dealloc_pd", () -> natives._deallocPd(domain));
        failure = Verbs.freed(failure, "ibv_close_device", () -> Verbs.closeDevice(context));
        if (failure != null) {
            throw new UncheckedIOException(failure);
        }
    }
}
