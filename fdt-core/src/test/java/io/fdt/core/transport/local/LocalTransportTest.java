package io.fdt.core.transport.local;

import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.TransportContract;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.UUID;
import org.junit.jupiter.api.Nested;

/** The transport contract on both kinds of lane inside a host. */
final class LocalTransportTest {
    abstract static class Inside extends TransportContract {
        private static final int PORT = 4000;

        private final Carrier carrier;

        Inside(Carrier carrier) {
            this.carrier = carrier;
        }

        @Override
        protected Ends open() {
            String realm = UUID.randomUUID().toString();
            return new Ends(
                    LocalTransport.forServer(realm),
                    LocalTransport.forClient(carrier, realm),
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT),
                    true);
        }

        @Override
        protected InetSocketAddress nobody() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT + 1);
        }
    }

    @Nested
    final class Unix extends Inside {
        Unix() {
            super(Carrier.UNIX);
        }
    }

    @Nested
    final class Shm extends Inside {
        Shm() {
            super(Carrier.SHM);
        }
    }
}
