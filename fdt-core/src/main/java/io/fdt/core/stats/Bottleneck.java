package io.fdt.core.stats;

import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.SessionActivity.Direction;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds the bottleneck of a session from the time that the lanes of both sides spent on each activity. Each side
 * reports the activity that its lanes spent most time on, and its share; {@link #verdict} combines the two.
 */
public final class Bottleneck {
    /** The verdict that nothing held the copy back, or that too little was copied to tell. */
    public static final String NONE = "none";

    public static final String NETWORK = "network";

    private static final int MOSTLY_PERCENT = 50;
    private static final String CPU = "-cpu";
    private static final String FOREIGN_LOAD = "-foreign-load";

    private static final Set<String> LIMITS = Set.of(
            "rate-limit",
            "source-disk",
            "sender-cpu",
            "sender-foreign-load",
            "blocked",
            "target-disk",
            "receiver-cpu",
            "receiver-foreign-load",
            "idle");

    private Bottleneck() {}

    /** One side's finding. */
    public record Share(String limit, int percent) {
        /** Changes a CPU limit to foreign load if other programs use the cores. */
        public Share ifOthersFillTheCores(boolean theyDo) {
            return theyDo && limit.endsWith(CPU)
                    ? new Share(limit.substring(0, limit.length() - CPU.length()) + FOREIGN_LOAD, percent)
                    : this;
        }
    }

    /**
     * Returns {@code rate-limit}, {@code source-disk}, {@code sender-cpu}, {@code sender-foreign-load}, {@code blocked}
     * (by the network or the receiver) or {@code idle}.
     */
    public static Share ofSender(SessionCounters session) {
        return ofSender(session::sum).ifOthersFillTheCores(session.foreignLoad().prevails());
    }

    /** Returns the same for any period, from the nanoseconds that the lanes spent in it. */
    public static Share ofSender(ToLongFunction<Counter> spent) {
        return largest(
                "rate-limit", spent.applyAsLong(Counter.LIMITED_NANOS),
                "source-disk", spent.applyAsLong(Counter.READ_NANOS),
                "sender-cpu", spent.applyAsLong(Counter.HASH_NANOS) + spent.applyAsLong(Counter.SEND_NANOS),
                "blocked", spent.applyAsLong(Counter.BLOCKED_NANOS),
                "idle", spent.applyAsLong(Counter.IDLE_NANOS));
    }

    /**
     * Returns {@code rate-limit}, {@code target-disk}, {@code receiver-cpu}, {@code receiver-foreign-load} or {@code
     * idle} (waiting for data).
     */
    public static Share ofReceiver(SessionCounters session) {
        return ofReceiver(session::sum, session.flushNanos() * session.lanes())
                .ifOthersFillTheCores(session.foreignLoad().prevails());
    }

    /** Returns the same for any period. The flusher's time counts once for each lane, because it delays all of them. */
    public static Share ofReceiver(ToLongFunction<Counter> spent, long flushNanos) {
        return largest(
                "rate-limit", spent.applyAsLong(Counter.LIMITED_NANOS),
                "target-disk", spent.applyAsLong(Counter.WRITE_NANOS) + flushNanos,
                "receiver-cpu", spent.applyAsLong(Counter.HASH_NANOS),
                "idle", spent.applyAsLong(Counter.IDLE_NANOS));
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

    /** Whether a share can have this limit; a peer may send anything. */
    public static boolean isLimit(String word) {
        return LIMITS.contains(word);
    }

    /**
     * Returns the bottleneck of a copy that runs, for both ends alike.
     *
     * @param direction of the data, seen from this end
     * @param there the share of the other end; null if it is unknown, which leaves the share of this end
     */
    public static Share ofBoth(Direction direction, Share here, @Nullable Share there) {
        if (there == null) {
            return here;
        }
        Share sender = direction == Direction.OUT ? here : there;
        Share receiver = direction == Direction.OUT ? there : here;
        String verdict = verdict(sender.limit, receiver.limit, receiver.percent);
        if (verdict.equals(NONE)) {
            return new Share("idle", sender.percent);
        }
        boolean fromReceiver = verdict.equals(receiver.limit) && !verdict.equals(sender.limit);
        return new Share(verdict, fromReceiver ? receiver.percent : sender.percent);
    }

    /**
     * Returns the bottleneck for the summary. If the sender is blocked, that is the receiver's disk or CPU if the
     * receiver was busy with it, otherwise the network.
     */
    public static String verdict(String senderLimit, String receiverLimit, int receiverPercent) {
        if (senderLimit.equals("idle")) {
            return receiverLimit.equals("target-disk") ? "target-disk" : NONE;
        }
        if (!senderLimit.equals("blocked")) {
            return senderLimit;
        }
        boolean receiverBusy = !receiverLimit.equals("idle") && receiverPercent >= MOSTLY_PERCENT;
        return receiverBusy ? receiverLimit : NETWORK;
    }
}
