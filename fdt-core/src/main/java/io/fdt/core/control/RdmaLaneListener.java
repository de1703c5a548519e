package io.fdt.core.control;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.AddressRules;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.transport.RdmaUse;
import io.fdt.core.transport.RdmaUse.Wish;
import io.fdt.core.transport.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A server's listener for lanes over RDMA, at the address of its control channel. RDMA has its own port numbers, so it
 * uses the same number unless that is taken; the server's sessions announce the number. It accepts the same networks as
 * TCP.
 */
public final class RdmaLaneListener implements AutoCloseable {
    private final Transport transport;
    private final Transport.Listener listener;

    private RdmaLaneListener(Transport transport, Transport.Listener listener) {
        this.transport = transport;
        this.listener = listener;
    }

    /** Whether {@link #open} may find a device. */
    public static boolean isPossible(RdmaUse rdma) {
        return rdma.wish() != Wish.NEVER && rdma.provider().obstacle() == null;
    }

    /** Opens it; returns null if there is no device, or throws if one is required. */
    public static @Nullable RdmaLaneListener open(
            RdmaUse rdma,
            LanePlaces places,
            AddressRules allowed,
            InetSocketAddress address,
            Server server,
            ServerObserver observer) {
        if (rdma.wish() == Wish.NEVER) {
            return null;
        }
        try {
            String obstacle = rdma.provider().obstacle();
            if (obstacle != null) {
                throw Cause.NO_RDMA.failure(obstacle);
            }
            Transport transport = rdma.provider().open(places);
            try {
                Transport.Listener listener = listen(transport, address, new Gate(server, allowed));
                server.offerRdma(listener.address().getPort());
                return new RdmaLaneListener(transport, listener);
            } catch (TransferException cannotListen) {
                transport.close();
                throw cannotListen;
            }
        } catch (TransferException none) {
            if (rdma.wish() == Wish.REQUIRED) {
                throw none;
            }
            if (rdma.wish() == Wish.PREFERRED) {
                observer.onWarning("no lanes over RDMA: " + none.getMessage());
            }
            return null;
        }
    }

    private static Transport.Listener listen(Transport transport, InetSocketAddress address, Gate gate) {
        try {
            return transport.listen(address, gate);
        } catch (TransferException taken) {
            try {
                return transport.listen(new InetSocketAddress(address.getAddress(), 0), gate);
            } catch (TransferException notHereEither) {
                throw taken;
            }
        }
    }

    /** Passes accepted lanes to the server, from permitted addresses only. */
    private record Gate(Server server, AddressRules allowed) implements Transport.Acceptor {
        @Override
        public boolean takesFrom(InetAddress peer) {
            return allowed.allow(peer);
        }

        @Override
        public void onLane(Lane lane) {
            server.onLane(lane);
        }

        @Override
        public void onLink(MessageLink link) {
            server.onLink(link);
        }

        @Override
        public void onGarbage(String peer, Failure why) {
            server.onGarbage(peer, why);
        }
    }

    public int port() {
        return listener.address().getPort();
    }

    /** Accepts no more lanes; existing ones continue. */
    public void stopListening() {
        listener.close();
    }

    @Override
    public void close() {
        listener.close();
        transport.close();
    }
}
