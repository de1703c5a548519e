package io.fdt.core.engine;

import io.fdt.core.host.BondPorts;
import io.fdt.core.host.BondWatch;
import io.fdt.core.transport.SourcePorts;
import io.fdt.core.transport.SpreadWatch;
import io.fdt.core.transport.SpreadWatch.Role;
import io.fdt.core.transport.tcp.TcpSettings;
import java.util.function.Function;

/** The bonds of this host, shared by all lanes that this process dials. Thread-safe. */
public final class HostBonds {
    private final BondPorts ports = new BondPorts(Connector.HOST_FILES);

    /** Spreads dialled lanes over the slaves of a bond, unless the caller chooses their ports. */
    public TcpSettings spread(TcpSettings network) {
        return network.ports() == SourcePorts.SYSTEM ? network.withPorts(ports) : network;
    }

    /** For lanes that this side dials. */
    public Function<Role, SpreadWatch> watches() {
        return role -> new BondWatch(Connector.HOST_FILES, role, ports);
    }

    /** For lanes that clients dial, whose ports this side cannot choose. */
    public static Function<Role, SpreadWatch> watchesOfServer() {
        return role -> new BondWatch(Connector.HOST_FILES, role, null);
    }
}
