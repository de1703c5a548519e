package io.fdt.monitor.figure;

import io.fdt.core.basic.HostView;
import io.fdt.core.stats.Moved;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A host and its sessions over the last second, as the live page, the terminal and a recording show them. Unknown
 * figures are null or, for numbers, negative; never zero.
 *
 * @param peers the other end's view of a session, by the session's short name
 */
public record Sample(
        long epochMs,
        String role,
        HostView view,
        Devices devices,
        List<SessionState> sessions,
        List<LaneState> lanes,
        Map<String, HostView> peers) {
    /** Returns the number of cores, NICs, queues, roots, sessions and lanes, on which its size depends. */
    public int parts() {
        int parts = parts(view) + devices.queues.size() + devices.roots.size() + sessions.size() + lanes.size();
        for (HostView peer : peers.values()) {
            parts += parts(peer);
        }
        return parts;
    }

    private static int parts(HostView host) {
        return host.cores().size() + host.nics().size();
    }

    /** The parts of this host that a view of it, which remote ends get too, does not have. */
    public record Devices(List<QueueRate> queues, List<RootState> roots) {
        public static final Devices NONE = new Devices(List.of(), List.of());
    }

    /**
     * An exported root, and the disk below it.
     *
     * @param device empty if its file system has no disk of its own
     */
    public record RootState(String root, String device, Room room, DiskRate read, DiskRate written) {}

    public record Room(long freeBytes, long sizeBytes) {}

    /** @param latencyUs the mean of the requests that ended; -1 if there were none */
    public record DiskRate(double bytesPerSecond, long latencyUs) {
        public static final DiskRate UNKNOWN = new DiskRate(-1, -1);
    }

    public record QueueRate(String nic, String queue, int irq, int core, double interruptsPerSecond) {}

    /**
     * @param bottleneck of the last seconds; null if there is none
     * @param file the last file that was finished, or else the first one; only the end of a long path
     * @param lanes what fdt found out about the number of lanes, and did; null while it is the initial number
     */
    public record SessionState(
            SessionName name,
            Amounts amounts,
            Run run,
            @Nullable Limit bottleneck,
            long chunksResent,
            @Nullable String file,
            @Nullable String lanes) {}

    /**
     * A session, its service and its parties.
     *
     * @param session its short name
     * @param key the name of the client's key; empty at the client
     * @param purpose the client's request; empty at the client
     */
    public record SessionName(
            String session, String service, String direction, String peer, String key, String purpose) {
        public boolean isOutgoing() {
            return direction.equals("out");
        }
    }

    /**
     * What a session has done, and what there is to do.
     *
     * @param bytes in place, or arrived; with those that were there before
     * @param moved without those
     */
    public record Amounts(
            long files,
            long filesTotal,
            long filesFailed,
            long bytes,
            long bytesTotal,
            Moved moved,
            double bytesPerSecond) {
        /** The share of the bytes that is done, from 0 to 1; -1 if there is no total. */
        public double share() {
            return bytesTotal > 0 ? (double) bytes / bytesTotal : -1;
        }

        /** The time that is left at the present rate; -1 if it is unknown. */
        public double secondsLeft() {
            return bytesTotal > 0 && bytesPerSecond > 0 ? (bytesTotal - bytes) / bytesPerSecond : -1;
        }
    }

    /**
     * The times of a session, and how it ended.
     *
     * @param endMs -1 while it runs
     * @param outcome {@code ok}, {@code partial}, {@code failed} or {@code interrupted}; null before it is known
     * @param reason of a failure; only the beginning of a long one
     */
    public record Run(
            long startMs,
            long endMs,
            @Nullable String outcome,
            int exitCode,
            @Nullable String reason) {
        public boolean isEnded() {
            return endMs >= 0;
        }
    }

    /** A bottleneck in one word, as in a summary, and as a sentence. */
    public record Limit(String word, String sentence) {}

    public record LaneState(
            String session,
            int lane,
            String direction,
            long bytes,
            double bytesPerSecond,
            Connection connection,
            Place place) {}

    public record Connection(long rttUs, long retransmits, long cwndBytes) {
        public static final Connection UNKNOWN = new Connection(-1, -1, -1);
    }

    /** The cores of a lane's thread and of its packets, and the queue that these pass. */
    public record Place(
            int core, int incomingCore, @Nullable String queue) {
        public static final Place UNKNOWN = new Place(-1, -1, null);
    }
}
