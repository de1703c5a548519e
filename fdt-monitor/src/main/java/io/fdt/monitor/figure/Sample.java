package io.fdt.monitor.figure;

import io.fdt.core.HostView;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A host and its sessions over the last second, as the live page, the terminal and a recording show them. Unknown
 * figures are null or, for numbers, negative; never zero.
 *
 * @param epochMs the time of the sample
 * @param view of this host
 * @param peers the other end's view of a session, by the session's short name
 */
public record Sample(
        long epochMs,
        String role,
        HostView view,
        List<QueueRate> queues,
        List<SessionState> sessions,
        List<LaneState> lanes,
        Map<String, HostView> peers) {
    public record QueueRate(String nic, String queue, int irq, int core, double interruptsPerSecond) {}

    /**
     * @param file the last file that was finished, or else the first one; only the end of a long path
     * @param lanes what fdt found out about the number of lanes, and did; null while it is the initial number
     * @param key the name of the client's key; empty at the client
     * @param purpose the client's request; empty at the client
     * @param bytesMoved without those that were there before; {@code bytes} includes them
     * @param endMs the time of its end; -1 while it runs
     * @param outcome {@code ok}, {@code partial}, {@code failed} or {@code interrupted}; null before it is known
     * @param reason of a failure; only the end of a long one
     */
    public record SessionState(
            String session,
            String service,
            String direction,
            String peer,
            long files,
            long filesTotal,
            long bytes,
            long bytesTotal,
            double bytesPerSecond,
            long chunksResent,
            @Nullable String limit,
            @Nullable String verdict,
            @Nullable String file,
            @Nullable String lanes,
            boolean ended,
            String key,
            String purpose,
            long filesFailed,
            long bytesMoved,
            long startMs,
            long endMs,
            @Nullable String outcome,
            int exitCode,
            @Nullable String reason) {}

    public record LaneState(
            String session,
            int lane,
            String direction,
            long bytes,
            double bytesPerSecond,
            long rttUs,
            long retransmits,
            long cwndBytes,
            int core,
            int incomingCore,
            @Nullable String queue) {}
}
