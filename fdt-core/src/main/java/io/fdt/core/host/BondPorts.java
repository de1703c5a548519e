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
 * Ports for streams that leave through a bond, so that its slaves carry equally many. A bond of the policy
 * {@code layer3+4} takes the slave of a stream from a hash of both addresses and ports; of these the local port is
 * free. Other policies do not look at it, or not at it alone. Thread-safe.
 *
 * <p>Nothing has to be done when a slave fails or comes back: see {@link SlaveShares}. Where lanes bunch all the same,
 * {@link BondWatch} sees it and says where the next lane is to go.
 */
public final class BondPorts implements SourcePorts {
    /** Ports that are tried for one stream before it is left to the system: more are in use only where most are. */
    private static final int MOST_TRIES = 64;

    private final HostFiles files;

    /** By the name of the bond. Guarded by this. */
    private final Map<String, SlaveShares> shares = new HashMap<>();

    /** Of the host whose root directory this is; routes are always those of the running one. */
    public BondPorts(Path root) {
        this.files = new HostFiles(root);
    }

    /** Null when the stream does not leave through a bond that looks at ports. */
    @Override
    public @Nullable Place place(InetSocketAddress server, @Nullable InetAddress localAddress) {
        InetAddress target = server.getAddress();
        InetAddress source = localAddress == null || localAddress.isAnyLocalAddress() ? routeTo(server) : localAddress;
        if (target == null || source == null || source.getAddress().length != target.getAddress().length) {
            return null;
        }
        Bond bond = new BondReader(files).at(source);
        return bond == null
                ? null
                : place(bond, source, server, ThreadLocalRandom.current().nextInt(1 << 16));
    }

    /** The same where the bond is known. The search for a port begins at this place in the range. */
    @Nullable Place place(Bond bond, InetAddress source, InetSocketAddress server, int searchFrom) {
        if (!bond.choosesByPorts() || bond.slaves().size() < 2) {
            return null;
        }
        synchronized (this) {
            SlaveShares bonds = shares.get(bond.name());
            if (bonds == null
                    || bonds.classes() != SlaveShares.classes(bond.slaves().size())) {
                // It has not been seen, or slaves were added or taken away since.
                bonds = new SlaveShares(bond.slaves().size());
                shares.put(bond.name(), bonds);
            }
            return new Place(bonds, source, server, searchFrom);
        }
    }

    /** The next lane that is dialled over this bond is to take this place among the slaves that are usable now. */
    synchronized void steer(String bond, int place, int usable) {
        SlaveShares bonds = shares.get(bond);
        if (bonds != null) {
            bonds.wish(place, usable);
        }
    }

    /** The address of this host from which the kernel would go there; null when there is no way. */
    static @Nullable InetAddress routeTo(InetSocketAddress server) {
        // Sends nothing; the kernel only looks up the way.
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(server);
            InetAddress source = socket.getLocalAddress();
            return source == null || source.isAnyLocalAddress() ? null : source;
        } catch (IOException | UncheckedIOException noRoute) {
            return null;
        }
    }

    /** The name of the interface of this host that has this address; null for an address of others. */
    public static @Nullable String deviceOf(InetAddress address) {
        try {
            NetworkInterface device = NetworkInterface.getByInetAddress(address);
            return device == null ? null : device.getName();
        } catch (SocketException unknown) {
            return null;
        }
    }

    /** One stream's share of the bond, from the search for its port to its end. */
    public final class Place implements SourcePorts.Place {
        private final SlaveShares bonds;
        private final int taken;
        private final InetAddress source;
        private final InetSocketAddress server;
        private final LocalPorts ports;
        private final int searchFrom;

        // Guarded by the outer object.
        private boolean released;

        // Of the thread that dials.
        private int searched;
        private int tries;

        private Place(SlaveShares bonds, InetAddress source, InetSocketAddress server, int searchFrom) {
            this.bonds = bonds;
            this.taken = bonds.take();
            this.source = source;
            this.server = server;
            this.ports = LocalPorts.read(files);
            this.searchFrom = searchFrom;
        }

        /** The next address and port that brings the stream to its slave; null when there are no more. */
        @Override
        public @Nullable InetSocketAddress next() {
            while (searched < ports.count() && tries < MOST_TRIES) {
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

        /** The stream is over. Any number of times. */
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
