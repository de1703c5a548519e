package io.fdt.cli.engine;

import io.fdt.cli.value.HostPort;
import io.fdt.core.control.ServerLimits;
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
 * @param listen with port 0 at a free one
 * @param roots exported directories; without one only network tests and the /dev ends are served
 * @param readOnly nothing is taken, only given
 * @param modeMask permissions that nothing made here gets
 * @param once end after one session
 * @param limits of everybody together
 * @param connections at once
 * @param unadmitted of them
 * @param allowed networks from where connections are taken
 * @param outbound networks with whose servers copies are made for clients
 * @param objects what network tests may hold
 */
public record ServerPlan(
        HostPort listen,
        List<RawPath> roots,
        boolean readOnly,
        int modeMask,
        boolean once,
        ServerLimits limits,
        int connections,
        int unadmitted,
        TransferLimits transfers,
        AddressRules allowed,
        OutboundRules outbound,
        Objects objects) {
    public ServerPlan {
        roots = List.copyOf(roots);
    }

    /**
     * What the objects of network tests may have together.
     *
     * @param logDirectory null where none is made durable
     */
    public record Objects(long memoryBytes, @Nullable Path logDirectory, long logBytes) {}
}
