package io.fdt.rdma;

import io.fdt.core.transport.TransportContract;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Tag;

/** The contract on lanes over RDMA, on the device of the lab. */
@Tag("lab")
final class RdmaTransportTest extends TransportContract {
    private static final String HERE = "10.77.0.1";

    private static InetAddress here() {
        try {
            return InetAddress.getByName(HERE);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    protected Ends open() {
        return new Ends(
                Rdma.open(RdmaSettings.DEFAULT),
                Rdma.open(RdmaSettings.DEFAULT),
                new InetSocketAddress(here(), 0),
                true);
    }

    @Override
    protected InetSocketAddress nobody() {
        return new InetSocketAddress(here(), 4711);
    }
}
