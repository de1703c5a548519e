package io.fdt.core.engine;

import io.fdt.core.control.ServerLimits;
import io.fdt.core.failure.Cause;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.security.OutboundRules;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.token.TokenSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The settings of a server: where it listens, what it exports, and its limits. Immutable.
 *
 * @param roots exported directories; without one, only network tests, /dev/zero and /dev/null are served
 * @param limits of all clients together
 * @param objects limits on the objects of network tests
 * @param outbound the networks with the servers to which this one copies for its clients
 * @param tokens which tokens admit clients as keys do
 */
public record ServerSettings(
        InetSocketAddress address,
        ExportedRoots roots,
        ServerLimits limits,
        TransferLimits transferLimits,
        NettestResources objects,
        OutboundRules outbound,
        TokenSettings tokens) {

    /** A server that does not copy to other servers, and accepts no tokens. */
    public ServerSettings(
            InetSocketAddress address,
            ExportedRoots roots,
            ServerLimits limits,
            TransferLimits transferLimits,
            NettestResources objects) {
        this(address, roots, limits, transferLimits, objects, OutboundRules.NONE, TokenSettings.NONE);
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
        return new ServerSettings(
                new InetSocketAddress(host, port), roots, limits, transferLimits, objects, outbound, tokens);
    }

    /** Returns these settings without permission to write. */
    public ServerSettings readOnly() {
        return new ServerSettings(address, roots.readOnly(), limits, transferLimits, objects, outbound, tokens);
    }

    public ServerSettings withLimits(ServerLimits value) {
        return new ServerSettings(address, roots, value, transferLimits, objects, outbound, tokens);
    }

    /**
     * Returns these settings with permission to copy to servers in these networks, {@code 10.1.0.0/16} or {@code
     * 2001:db8::7}, for clients that may read here and write there. Loopback and link-local addresses must be listed
     * explicitly.
     */
    public ServerSettings copyingTo(String... networks) {
        return new ServerSettings(
                address, roots, limits, transferLimits, objects, OutboundRules.parse(Arrays.asList(networks)), tokens);
    }

    /** Throws USAGE for the first directory that cannot be exported, or that is meant for tokens and not exported. */
    public void requirePresent() {
        roots.requirePresent();
        for (TokenSettings.TrustedIssuer issuer : tokens.issuers()) {
            if (issuer.root() != null && !roots.contains(RawPath.ofText(issuer.root()))) {
                throw Cause.USAGE.failure("the directory " + issuer.root() + " of the issuer " + issuer.url()
                        + " is in none of the exported ones");
            }
        }
    }

    /** Returns these settings with these issuers of tokens. */
    public ServerSettings trusting(TokenSettings value) {
        return new ServerSettings(address, roots, limits, transferLimits, objects, outbound, value);
    }
}
