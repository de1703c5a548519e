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
 * @param listen port 0 means any free port
 * @param roots exported directories; if there are none, only network tests, /dev/zero and /dev/null are served
 * @param readOnly whether clients can only read
 * @param modeMask permission bits that no file or directory created here gets
 * @param once whether to end after one session
 * @param limits for all sessions together
 * @param connections the maximum number of connections
 * @param unadmitted the maximum number of connections that are not yet admitted
 * @param allowed networks from which connections are accepted
 * @param outbound networks with servers to which this server may push on behalf of clients
 * @param objects limits for the objects of network tests
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
     * The limits for the objects of all network tests together.
     *
     * @param logDirectory null if objects cannot be made durable
     */
    public record Objects(long memoryBytes, @Nullable Path logDirectory, long logBytes) {}
}
