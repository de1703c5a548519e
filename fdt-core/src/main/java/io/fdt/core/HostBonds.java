package io.fdt.core;

import io.fdt.core.host.BondPorts;
import io.fdt.core.host.BondWatch;
import io.fdt.core.transport.SourcePorts;
import io.fdt.core.transport.SpreadWatch;
import io.fdt.core.transport.tcp.TcpSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the host knows of its bonds, as transport and engine ask for it: these know nothing of hosts. */
final class HostBonds {
    private final Path files;
    private final BondPorts ports;

    /** @param files where the kernel shows what the host is and does */
    HostBonds(Path files) {
        this.files = files;
        this.ports = new BondPorts(files);
    }

    /** Lanes that are dialled spread over the slaves of a bond, unless the caller chooses their ports. */
    TcpSettings spread(TcpSettings network) {
        return network.ports() == SourcePorts.SYSTEM ? network.withPorts(new SpreadPorts(ports)) : network;
    }

    /** For lanes that this side dials. */
    SpreadWatch.Maker watches() {
        return sending -> new SpreadWatching(new BondWatch(files, sending, ports));
    }

    /** For lanes that clients dial, so that this side has no ports to choose. */
    static SpreadWatch.Maker watchesOfServer(Path files) {
        return sending -> new SpreadWatching(new BondWatch(files, sending, null));
    }

    /** The host's watch over its bonds as the engine asks for it. */
    private record SpreadWatching(BondWatch watch) implements SpreadWatch {
        @Override
        public Advice look(long nowNanos, List<Stream> streams) {
            BondWatch.Advice advice = watch.look(
                    nowNanos,
                    streams.stream()
                            .map(each -> new BondWatch.Stream(
                                    each.lane(),
                                    each.ends().local(),
                                    each.ends().remote(),
                                    each.bytes()))
                            .toList());
            return new Advice(advice.lanes(), advice.note());
        }
    }

    /** The host's knowledge of bonds as the transport asks for it. */
    private record SpreadPorts(BondPorts bonds) implements SourcePorts {
        @Override
        public SourcePorts.@Nullable Place place(InetSocketAddress server, @Nullable InetAddress localAddress) {
            BondPorts.Place place = bonds.place(server, localAddress);
            return place == null ? null : new SpreadPlace(place);
        }
    }

    private record SpreadPlace(BondPorts.Place place) implements SourcePorts.Place {
        @Override
        public @Nullable InetSocketAddress next() {
            return place.next();
        }

        @Override
        public void release() {
            place.release();
        }
    }
}
