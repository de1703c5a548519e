package io.fdt.core.engine;

import io.fdt.core.control.ServerLimits;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.security.OutboundRules;
import io.fdt.core.storage.ExportedRoots;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The settings of a server: where it listens, what it exports, and its limits. Immutable.
 *
 * @param roots exported directories; without one, only network tests, /dev/zero and /dev/null are served
 * @param limits of all clients together
 * @param objects limits on the objects of network tests
 * @param outbound the networks with the servers to which this one copies for its clients
 */
public record ServerSettings(
        InetSocketAddress address,
        ExportedRoots roots,
        ServerLimits limits,
        TransferLimits transferLimits,
        NettestResources objects,
        OutboundRules outbound) {

    /** A server that does not copy to other servers. */
    public ServerSettings(
            InetSocketAddress address,
            ExportedRoots roots,
            ServerLimits limits,
            TransferLimits transferLimits,
            NettestResources objects) {
        this(address, roots, limits, transferLimits, objects, OutboundRules.NONE);
    }

    /** A server on any free port of loopback whose clients can read and write these directories. */
    public static ServerSettings of(Path... directories) {
        return new ServerSettings(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new ExportedRoots(Arrays.stream(directories).map(RawPath::of).toList(), false),
                ServerLimits.DEFAULT,
                TransferLimits.SERVER_DEFAULT,
                NettestResources.inMemory());
    }

    /**
     * Returns these settings with another address, for example {@code 0.0.0.0} for clients on all hosts; port 0 picks a
     * free one.
     */
    public ServerSettings listening(String host, int port) {
        return new ServerSettings(new InetSocketAddress(host, port), roots, limits, transferLimits, objects, outbound);
    }

    /** Returns these settings without permission to write. */
    public ServerSettings readOnly() {
        return new ServerSettings(address, roots.within(false, List.of()), limits, transferLimits, objects, outbound);
    }

    public ServerSettings withLimits(ServerLimits value) {
        return new ServerSettings(address, roots, value, transferLimits, objects, outbound);
    }

    /**
     * Returns these settings with permission to copy to servers in these networks, {@code 10.1.0.0/16} or {@code
     * 2001:db8::7}, for clients that may read here and write there. Loopback and link-local addresses must be listed
     * explicitly.
     */
    public ServerSettings copyingTo(String... networks) {
        return new ServerSettings(
                address, roots, limits, transferLimits, objects, OutboundRules.parse(Arrays.asList(networks)));
    }
}
