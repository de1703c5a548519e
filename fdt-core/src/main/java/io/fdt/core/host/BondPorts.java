package io.fdt.core.host;

import io.fdt.core.transport.SourcePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Chooses local ports for streams that leave through a bond, so that its slaves carry equally many. A bond with the
 * policy {@code layer3+4} chooses a stream's slave from a hash of both addresses and ports, and of these only the local
 * port can be chosen here. Other policies do not use it, or not it alone. Thread-safe.
 *
 * <p>Slaves that fail or come back need no action: see {@link SlaveShares}. If lanes still share slaves unevenly,
 * {@link BondWatch} notices and directs the next lane.
 */
public final class BondPorts implements SourcePorts {
    /**
     * The number of ports to try for one stream before the system chooses: it is only exceeded if most ports are in
     * use.
     */
    private static final int MAX_TRIES = 64;

    private final HostFiles files;

    /** Shares by bond name. Guarded by this. */
    private final Map<String, SlaveShares> shares = new HashMap<>();

    /** For the host with this root directory; routes are always those of the running host. */
    public BondPorts(Path root) {
        this.files = new HostFiles(root);
    }

    /** Returns null if the stream does not leave through a bond that chooses slaves by ports. */
    @Override
    public @Nullable SlaveLease place(InetSocketAddress server, @Nullable InetAddress localAddress) {
        BondReader bonds = new BondReader(files);
        if (!bonds.mayExist()) {
            return null;
        }
        InetAddress target = server.getAddress();
        InetAddress source = localAddress == null || localAddress.isAnyLocalAddress() ? routeTo(server) : localAddress;
        if (target == null || source == null || source.getAddress().length != target.getAddress().length) {
            return null;
        }
        Bond bond = bonds.at(source);
        return bond == null
                ? null
                : place(bond, source, server, ThreadLocalRandom.current().nextInt(1 << 16));
    }

    /**
     * Like {@link #place(InetSocketAddress, InetAddress)}, for a known bond. The search for a port starts at this index
     * of the port range.
     */
    @Nullable SlaveLease place(Bond bond, InetAddress source, InetSocketAddress server, int searchFrom) {
        if (!bond.choosesByPorts() || bond.slaves().size() < 2) {
            return null;
        }
        synchronized (this) {
            SlaveShares bonds = shares.get(bond.name());
            if (bonds == null
                    || bonds.classes() != SlaveShares.classes(bond.slaves().size())) {
                // The bond is new, or slaves were added or removed since.
                bonds = new SlaveShares(bond.slaves().size());
                shares.put(bond.name(), bonds);
            }
            return new SlaveLease(bonds, source, server, searchFrom);
        }
    }

    /** Directs the next lane that is dialled over this bond to the slave with this index among those usable now. */
    synchronized void steer(String bond, int place, int usable) {
        SlaveShares bonds = shares.get(bond);
        if (bonds != null) {
            bonds.wish(place, usable);
        }
    }

    /** Returns the local address that the kernel would use to reach the server; null if there is no route. */
    static @Nullable InetAddress routeTo(InetSocketAddress server) {
        // Sends nothing: the kernel only looks up the route.
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(server);
            InetAddress source = socket.getLocalAddress();
            return source == null || source.isAnyLocalAddress() ? null : source;
        } catch (IOException | UncheckedIOException noRoute) {
            return null;
        }
    }

    /** Returns the name of this host's interface that has the address; null if none has it. */
    public static @Nullable String deviceOf(InetAddress address) {
        try {
            NetworkInterface device = NetworkInterface.getByInetAddress(address);
            return device == null ? null : device.getName();
        } catch (SocketException unknown) {
            return null;
        }
    }

    /** One stream's share of the bond, from the search for its port to its end. */
    public final class SlaveLease implements SourcePorts.PortLease {
        private final SlaveShares bonds;
        private final int taken;
        private final InetAddress source;
        private final InetSocketAddress server;
        private final LocalPorts ports;
        private final int searchFrom;

        // Guarded by BondPorts.this.
        private boolean released;

        // For the thread that dials.
        private int searched;
        private int tries;

        private SlaveLease(SlaveShares bonds, InetAddress source, InetSocketAddress server, int searchFrom) {
            this.bonds = bonds;
            this.taken = bonds.take();
            this.source = source;
            this.server = server;
            this.ports = LocalPorts.read(files);
            this.searchFrom = searchFrom;
        }

        /** Returns the next address and port that lead the stream to its slave; null if there are no more. */
        @Override
        public @Nullable InetSocketAddress next() {
            while (searched < ports.count() && tries < MAX_TRIES) {
                int port = ports.at(searchFrom + searched);
                searched++;
                if (port != 0 && classOf(port) == taken) {
                    tries++;
                    return new InetSocketAddress(source, port);
                }
            }
            return null;
        }

        private int classOf(int port) {
            int hash = BondHash.layer34(source, port, server.getAddress(), server.getPort());
            return Integer.remainderUnsigned(hash, bonds.classes());
        }

        /** The stream has ended. Idempotent. */
        @Override
        public void release() {
            synchronized (BondPorts.this) {
                if (!released) {
                    released = true;
                    bonds.release(taken);
                }
            }
        }
    }
}
