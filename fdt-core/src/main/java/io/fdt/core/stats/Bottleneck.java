package io.fdt.core.stats;

import io.fdt.core.stats.LaneCounters.Counter;
import java.util.function.ToLongFunction;

/**
 * What held a session back, from what the lanes of both sides spent their time on. Each side names what its own lanes
 * did most and how large a share that was; {@link #verdict} puts the two together.
 */
public final class Bottleneck {
    private static final int MOSTLY_PERCENT = 50;
    private static final String CPU = "-cpu";
    private static final String FOREIGN_LOAD = "-foreign-load";

    private Bottleneck() {}

    /** One side's finding. */
    public record Share(String limit, int percent) {
        /** Cores that are the limit may be short because other programs fill them. */
        public Share ifOthersFillTheCores(boolean theyDo) {
            return theyDo && limit.endsWith(CPU)
                    ? new Share(limit.substring(0, limit.length() - CPU.length()) + FOREIGN_LOAD, percent)
                    : this;
        }
    }

    /**
     * {@code rate-limit}, {@code source-disk}, {@code sender-cpu}, {@code sender-foreign-load}, {@code blocked} (by
     * whatever comes after) or {@code idle}.
     */
    public static Share ofSender(SessionCounters session) {
        return ofSender(session::sum).ifOthersFillTheCores(session.foreignLoad().prevails());
    }

    /** The same of any span of time, by the nanoseconds that the lanes spent in it. */
    public static Share ofSender(ToLongFunction<Counter> spent) {
        return largest(
                "rate-limit", spent.applyAsLong(Counter.LIMITED_NANOS),
                "source-disk", spent.applyAsLong(Counter.READ_NANOS),
                "sender-cpu", spent.applyAsLong(Counter.HASH_NANOS) + spent.applyAsLong(Counter.SEND_NANOS),
                "blocked", spent.applyAsLong(Counter.BLOCKED_NANOS),
                "idle", spent.applyAsLong(Counter.IDLE_NANOS));
    }

    /**
     * {@code rate-limit}, {@code target-disk}, {@code receiver-cpu}, {@code receiver-foreign-load} or {@code idle}
     * (waiting for bytes).
     */
    public static Share ofReceiver(SessionCounters session) {
        return ofReceiver(session::sum, session.flushNanos() * session.lanes())
                .ifOthersFillTheCores(session.foreignLoad().prevails());
    }

    /** The same of any span of time; the flusher's time counts once for each lane, for it holds all of them up. */
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
