package io.fdt.core.transport.tcp;

import io.fdt.core.FreePort;
import io.fdt.core.security.Identity;
import io.fdt.core.security.TlsContexts;
import io.fdt.core.transport.TransportContract;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The transport contract on every kind of I/O, clear and with TLS. */
final class TcpTransportTest {
    private static final Identity IDENTITY = Identity.create();

    abstract static class OverTcp extends TransportContract {
        private final IoKind io;
        private final String address;
        private final boolean clear;
        private final TlsContexts.Provider provider;

        OverTcp(IoKind io, String address, boolean clear, TlsContexts.Provider provider) {
            this.io = io;
            this.address = address;
            this.clear = clear;
            this.provider = provider;
        }

        @Override
        protected Ends open() {
            TcpSettings settings = TcpSettings.builder().io(io).build();
            return new Ends(
                    new TcpTransport(settings, TlsContexts.server(IDENTITY, provider), null),
                    new TcpTransport(settings, null, TlsContexts.client(IDENTITY.fingerprint(), provider)),
                    new InetSocketAddress(address, 0),
                    clear);
        }

        @Override
        protected InetSocketAddress nobody() {
            return new InetSocketAddress(address, unusedPort());
        }

        @Override
        protected boolean dropsAhead() {
            return io != IoKind.NIO && clear;
        }

        private int unusedPort() {
            return FreePort.next();
        }
    }

    @Nested
    final class EpollClear extends OverTcp {
        EpollClear() {
            super(IoKind.EPOLL, "127.0.0.1", true, TlsContexts.Provider.JDK);
        }
    }

    @Nested
    final class EpollTls extends OverTcp {
        EpollTls() {
            super(IoKind.EPOLL, "127.0.0.1", false, TlsContexts.Provider.BORINGSSL);
        }
    }

    @Nested
    @Tag("full")
    final class EpollJdkTls extends OverTcp {
        EpollJdkTls() {
            super(IoKind.EPOLL, "127.0.0.1", false, TlsContexts.Provider.JDK);
        }
    }

    @Nested
    @Tag("full")
    final class EpollIpv6 extends OverTcp {
        EpollIpv6() {
            super(IoKind.EPOLL, "::1", true, TlsContexts.Provider.JDK);
        }
    }

    @Nested
    @Tag("full")
    final class IoUringClear extends OverTcp {
        IoUringClear() {
            super(IoKind.IO_URING, "127.0.0.1", true, TlsContexts.Provider.JDK);
        }
    }

    @Nested
    @Tag("full")
    final class IoUringTls extends OverTcp {
        IoUringTls() {
            super(IoKind.IO_URING, "127.0.0.1", false, TlsContexts.Provider.BORINGSSL);
        }
    }

    @Nested
    @Tag("full")
    final class NioClear extends OverTcp {
        NioClear() {
            super(IoKind.NIO, "127.0.0.1", true, TlsContexts.Provider.JDK);
        }
    }

    @Nested
    @Tag("full")
    final class NioTls extends OverTcp {
        NioTls() {
            super(IoKind.NIO, "127.0.0.1", false, TlsContexts.Provider.BORINGSSL);
        }
    }

    @Nested
    @Tag("full")
    final class NioIpv6Tls extends OverTcp {
        NioIpv6Tls() {
            super(IoKind.NIO, "::1", false, TlsContexts.Provider.BORINGSSL);
        }
    }
}
