package io.fdt.core.nettest.load;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Word;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The resources that can run out under load, each with the figure of a step that shows it, a share. */
public enum LoadLimit {
    /** The answering thread has no time left. */
    SERVER_CORE("busy_remote", LoadLimit.BUSY, "%s busy"),
    /** The requesting thread has no time left. */
    CLIENT_CORE("busy_local", LoadLimit.BUSY, "%s busy"),
    /** Most receive calls of the server filled all its receive buffers. */
    SERVER_RX("server_full_polls", LoadLimit.MAX_POLLS, "%s full"),
    /** The answers to most receive calls of the server exceeded its send buffers. */
    SERVER_TX("server_split_polls", LoadLimit.MAX_POLLS, "%s split"),
    /** Most receive calls of the client filled all its receive buffers. */
    CLIENT_RX("full_polls", LoadLimit.MAX_POLLS, "%s full"),
    /** Requests were due while all send buffers of the client held unanswered requests. */
    CLIENT_TX("tx_wait_seconds", LoadLimit.HELD_BACK, "none free %s") {
        @Override
        double share(JsonObject point) {
            return super.share(point) / point.amount("seconds");
        }
    },
    /** The offered load was not reached, and none of these resources ran out. */
    UNKNOWN("", Double.NaN, "");

    /** This share of the offered load counts as all of it: the last answers of a step arrive after its end. */
    private static final double KEPT_UP = 0.97;

    private static final double BUSY = 0.9;
    private static final double MAX_POLLS = 0.5;
    /** The limit of the verdict on throughput for what limits a sender. */
    private static final double HELD_BACK = 0.3;

    private final String figure;
    private final double bound;
    private final String shown;

    LoadLimit(String figure, double bound, String shown) {
        this.figure = figure;
        this.bound = bound;
        this.shown = shown;
    }

    String word() {
        return Word.of(this).replace('_', '-');
    }

    double share(JsonObject point) {
        return point.amount(figure);
    }

    /** Whether the offered load was completed. */
    static boolean keptUp(JsonObject point) {
        return point.amount("achieved_per_second") >= KEPT_UP * point.count("offered_per_second")
                && point.count("done") >= KEPT_UP * point.count("offered");
    }

    /**
     * The resources that ran out in a step, cores first: a busy core fills the buffers, too, and more buffers would not
     * help. Empty if the offered load was completed.
     */
    static List<LoadLimit> of(JsonObject point) {
        if (keptUp(point)) {
            return List.of();
        }
        List<LoadLimit> out = Stream.of(values())
                .filter(limit -> limit.share(point) >= limit.bound)
                .toList();
        return out.isEmpty() ? List.of(UNKNOWN) : out;
    }

    /** The resources that ran out in a step, each with the figure that shows it. */
    public static String evidence(JsonObject point) {
        return of(point).stream().map(limit -> limit.withFigure(point)).collect(Collectors.joining(", "));
    }

    private String withFigure(JsonObject point) {
        String percent = Math.round(100 * Math.min(1, share(point))) + " %";
        return this == UNKNOWN ? word() : word() + " (" + shown.formatted(percent) + ")";
    }
}
