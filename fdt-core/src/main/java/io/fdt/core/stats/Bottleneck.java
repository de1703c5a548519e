package io.fdt.core.stats;

import io.fdt.core.stats.LaneCounters.Counter;

/**
 * What held a session back, from what the lanes of both sides spent their time on. Each side names what its own lanes
 * did most and how large a share that was; {@link #verdict} puts the two together.
 */
public final class Bottleneck {
    private static final int MOSTLY_PERCENT = 50;

    private Bottleneck() {}

    /** One side's finding. */
    public record Share(String limit, int percent) {}

    /** {@code rate-limit}, {@code source-disk}, {@code sender-cpu}, {@code blocked} (by whatever comes after) or {@code idle}. */
    public static Share ofSender(SessionCounters session) {
        return largest(
                "rate-limit", session.sum(Counter.LIMITED_NANOS),
                "source-disk", session.sum(Counter.READ_NANOS),
                "sender-cpu", session.sum(Counter.HASH_NANOS) + session.sum(Counter.SEND_NANOS),
                "blocked", session.sum(Counter.BLOCKED_NANOS),
                "idle", session.sum(Counter.IDLE_NANOS));
    }

    /** {@code target-disk}, {@code receiver-cpu} or {@code idle} (waiting for bytes). */
    public static Share ofReceiver(SessionCounters session) {
        return largest(
                "target-disk", session.sum(Counter.WRITE_NANOS) + session.flushNanos() * session.lanes(),
                "receiver-cpu", session.sum(Counter.HASH_NANOS),
                "idle", session.sum(Counter.IDLE_NANOS));
    }

    private static Share largest(Object... namesAndNanos) {
        long total = 0;
        long most = -1;
        String name = "idle";
        for (int i = 0; i < namesAndNanos.length; i += 2) {
            long nanos = (Long) namesAndNanos[i + 1];
            total += nanos;
            if (nanos > most) {
                most = nanos;
                name = (String) namesAndNanos[i];
            }
        }
        return total == 0 ? new Share("idle", 0) : new Share(name, (int) (100 * most / total));
    }

    /**
     * The word for the summary. A sender that is blocked points past itself: to the receiver's disk or CPU if that is
     * what the receiver was busy with, otherwise to the network between the two.
     */
    public static String verdict(String senderLimit, String receiverLimit, int receiverPercent) {
        if (senderLimit.equals("idle")) {
            return receiverLimit.equals("target-disk") ? "target-disk" : "none";
        }
        if (!senderLimit.equals("blocked")) {
            return senderLimit;
        }
        boolean receiverBusy = !receiverLimit.equals("idle") && receiverPercent >= MOSTLY_PERCENT;
        return receiverBusy ? receiverLimit : "network";
    }
}
