package io.fdt.core.transport.tcp;

import io.fdt.core.FreePort;
import io.fdt.core.security.Identity;
import io.fdt.core.transport.TransportContract;
import java.net.InetSocketAddress;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The transport contract, clear and with TLS. */
final class TcpTransportTest {
    private static final Identity IDENTITY = Identity.create();
    /** Of the connections over IPv6. */
    private static final int LABEL = 0x12345;

    abstract static class OverTcp extends TransportContract {
        private final String address;
        private final boolean clear;

        OverTcp(String address, boolean clear) {
            this.address = address;
            this.clear = clear;
        }

        @Override
        protected Ends open() {
            return new Ends(
                    TcpTransport.forServer(TcpSettings.DEFAULTS, IDENTITY, null),
                    TcpTransport.forClient(
                            TcpSettings.DEFAULTS.withFlowLabels(() -> LABEL),
                            Set.of(IDENTITY.fingerprint()),
                            accepted -> {}),
                    new InetSocketAddress(address, 0),
                    clear);
        }

        @Override
        protected InetSocketAddress nobody() {
            return new InetSocketAddress(address, unusedPort());
        }

        @Override
        protected boolean dropsAhead() {
            return clear;
        }

        private int unusedPort() {
            return FreePort.next();
        }
    }

    @Nested
    final class Clear extends OverTcp {
        Clear() {
            super("127.0.0.1", true);
        }
    }

    @Nested
    final class Encrypted extends OverTcp {
        Encrypted() {
            super("127.0.0.1", false);
        }
    }

    @Nested
    @Tag("full")
    final class ClearOverIpv6 extends OverTcp {
        ClearOverIpv6() {
            super("::1", true);
        }
    }

    @Nested
    @Tag("full")
    final class EncryptedOverIpv6 extends OverTcp {
        EncryptedOverIpv6() {
            super("::1", false);
        }
    }
}
