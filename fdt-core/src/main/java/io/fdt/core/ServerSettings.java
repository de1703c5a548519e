package io.fdt.core;

import io.fdt.core.control.ServerLimits;
import io.fdt.core.nettest.objects.ObjectsHost;
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
 * What a server offers: where it listens, what it exports, and how much it grants. Immutable.
 *
 * @param roots exported directories; without one only network tests and the /dev ends are served
 * @param limits of everybody together
 * @param transferLimits of one transfer
 * @param objects what network tests may hold
 * @param outbound the networks with whose servers this one makes copies for its clients
 */
public record ServerSettings(
        InetSocketAddress address,
        ExportedRoots roots,
        ServerLimits limits,
        TransferLimits transferLimits,
        ObjectsHost objects,
        OutboundRules outbound) {

    /** One that makes no copies to other servers. */
    public ServerSettings(
            InetSocketAddress address,
            ExportedRoots roots,
            ServerLimits limits,
            TransferLimits transferLimits,
            ObjectsHost objects) {
        this(address, roots, limits, transferLimits, objects, OutboundRules.NONE);
    }

    /** The directories, to be read and written by clients of this host, at any free port of loopback. */
    public static ServerSettings of(Path... directories) {
        return new ServerSettings(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new ExportedRoots(Arrays.stream(directories).map(RawPath::of).toList(), false),
                ServerLimits.DEFAULT,
                TransferLimits.SERVER_DEFAULT,
                ObjectsHost.inMemory());
    }

    /** The same at another address, for example {@code 0.0.0.0} for clients everywhere; port 0 picks a free one. */
    public ServerSettings listening(String host, int port) {
        return new ServerSettings(new InetSocketAddress(host, port), roots, limits, transferLimits, objects, outbound);
    }

    /** The same, and nothing is taken, only given. */
    public ServerSettings readOnly() {
        return new ServerSettings(address, roots.within(false, List.of()), limits, transferLimits, objects, outbound);
    }

    public ServerSettings withLimits(ServerLimits value) {
        return new ServerSettings(address, roots, value, transferLimits, objects, outbound);
    }

    public ServerSettings withTransferLimits(TransferLimits value) {
        return new ServerSettings(address, roots, limits, value, objects, outbound);
    }

    /**
     * The same, and what it has it copies to servers in these networks, too, for whoever may read it here and write it
     * there: {@code 10.1.0.0/16}, {@code 2001:db8::7}. Loopback and addresses of one link must be named themselves.
     */
    public ServerSettings copyingTo(String... networks) {
        return new ServerSettings(
                address, roots, limits, transferLimits, objects, OutboundRules.parse(Arrays.asList(networks)));
    }
}
