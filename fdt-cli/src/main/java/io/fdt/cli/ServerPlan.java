package io.fdt.cli;

import io.fdt.core.control.ClearLanes;
import io.fdt.core.plan.RawPath;
import java.util.List;

/**
 * A checked server command.
 *
 * @param host to listen on, a name or a literal without brackets
 * @param port 0 for a free one
 * @param roots exported directories; without one only network tests and the /dev ends are served
 * @param readOnly nothing is taken, only given
 * @param once end after one session
 * @param maxLanes that one session may have
 * @param maxSessions at a time
 * @param clearLanes which sessions may have their lanes unencrypted
 * @param timeoutMs after which a silent peer is given up
 */
public record ServerPlan(
        String host,
        int port,
        List<RawPath> roots,
        boolean readOnly,
        boolean once,
        int maxLanes,
        int maxSessions,
        ClearLanes clearLanes,
        long timeoutMs) {
    public ServerPlan {
        roots = List.copyOf(roots);
    }
}
