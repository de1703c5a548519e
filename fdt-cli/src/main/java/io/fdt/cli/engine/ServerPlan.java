package io.fdt.cli.engine;

import io.fdt.cli.value.HostPort;
import io.fdt.core.control.ClearLanes;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.security.AddressRules;
import io.fdt.core.security.OutboundRules;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A checked server command.
 *
 * @param host to listen on, a name or a literal without brackets
 * @param port 0 for a free one
 * @param roots exported directories; without one only network tests and the /dev ends are served
 * @param readOnly nothing is taken, only given
 * @param modeMask permissions that nothing made here gets
 * @param once end after one session
 * @param allowed networks from where connections are taken
 * @param outbound networks with whose servers copies are made for clients
 * @param clearLanes which sessions may have their lanes unencrypted
 * @param objects what network tests may hold
 */
public record ServerPlan(
        String host,
        int port,
        List<RawPath> roots,
        boolean readOnly,
        int modeMask,
        boolean once,
        Limits limits,
        TransferLimits transfers,
        AddressRules allowed,
        OutboundRules outbound,
        ClearLanes clearLanes,
        Objects objects) {
    public ServerPlan {
        roots = List.copyOf(roots);
    }

    /** For one session, at this address, of whoever may reach all that this process may. */
    public ServerPlan forOne(HostPort listen) {
        return new ServerPlan(
                listen.host(),
                listen.port(),
                roots.isEmpty() ? List.of(RawPath.ofText("/")) : roots,
                readOnly,
                modeMask,
                true,
                limits,
                transfers,
                allowed,
                outbound,
                clearLanes,
                objects);
    }

    /**
     * What all clients may have together.
     *
     * @param lanes that one session may have
     * @param disconnectedMs for which a session waits for a client that is silent or has no connection
     * @param rateBitsPerSecond of all copies together; 0 for no limit
     * @param memoryBytes for the lanes of all sessions; 0 for what suits this Java
     */
    public record Limits(
            int lanes,
            int sessions,
            int connections,
            int unadmitted,
            long handshakeMs,
            long disconnectedMs,
            long rateBitsPerSecond,
            long memoryBytes) {}

    /**
     * What the objects of network tests may have together.
     *
     * @param logDirectory null where none is made durable
     */
    public record Objects(long memoryBytes, @Nullable Path logDirectory, long logBytes) {}
}
