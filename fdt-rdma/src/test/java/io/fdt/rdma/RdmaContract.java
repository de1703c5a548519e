package io.fdt.rdma;

import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.TransportContract;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Tag;

/** The transport contract for lanes over RDMA, with given settings and an address of the lab's device. */
@Tag("lab")
abstract class RdmaContract extends TransportContract {
    static final String HERE = "10.77.0.1";
    static final String HERE_IN_IPV6 = "fd77::1";

    private final RdmaSettings servers;
    private final RdmaSettings clients;
    private final String address;

    RdmaContract(RdmaSettings settings, String address) {
        this(settings, settings, address);
    }

    RdmaContract(RdmaSettings servers, RdmaSettings clients, String address) {
        this.servers = servers;
        this.clients = clients;
        this.address = address;
    }

    private InetSocketAddress here(int port) {
        try {
            return new InetSocketAddress(InetAddress.getByName(address), port);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    protected Ends open() {
        return new Ends(
                Rdma.open(servers, LanePlaces.ANYWHERE), Rdma.open(clients, LanePlaces.ANYWHERE), here(0), true);
    }

    @Override
    protected InetSocketAddress nobody() {
        return here(4711);
    }
}
