package io.fdt.core.nettest.load;

import io.fdt.core.Word;
import io.fdt.core.nettest.NamedFigures;
import java.util.ArrayList;
import java.util.List;

/** The resources that can run out under load. */
enum LoadLimit {
    /** The answering thread has no time left. */
    SERVER_CORE,
    /** The requesting thread has no time left. */
    CLIENT_CORE,
    /** Most receive calls of the server filled all its receive buffers. */
    SERVER_RX,
    /** The answers to most receive calls of the server exceeded its send buffers. */
    SERVER_TX,
    /** Most receive calls of the client filled all its receive buffers. */
    CLIENT_RX,
    /** Requests were due while all send buffers of the client held unanswered requests. */
    CLIENT_TX,
    /** The offered load was not reached, and none of these resources ran out. */
    UNKNOWN;

    /** This share of the offered load counts as all of it: the last answers of a step arrive after its end. */
    private static final double KEPT_UP = 0.97;

    private static final double BUSY = 0.9;
    private static final double MOST_POLLS = 0.5;

    /** The limit of the verdict on throughput for what limits a sender. */
    private static final double HELD_BACK = 0.3;

    String word() {
        return Word.of(this).replace('_', '-');
    }

    /** Whether the offered load was completed. */
    static boolean keptUp(NamedFigures point) {
        return point.amount("achieved_per_second") >= KEPT_UP * point.count("offered_per_second")
                && point.count("done") >= KEPT_UP * point.count("offered");
    }

    /**
     * The resources that ran out in a step, cores first: a busy core fills the buffers, too, and more buffers would not
     * help. Empty if the offered load was completed.
     */
    static List<LoadLimit> of(NamedFigures point) {
        List<LoadLimit> out = new ArrayList<>();
        if (keptUp(point)) {
            return out;
        }
        addIf(out, point.amount("busy_remote") >= BUSY, SERVER_CORE);
        addIf(out, point.amount("busy_local") >= BUSY, CLIENT_CORE);
        addIf(out, point.amount("server_full_polls") >= MOST_POLLS, SERVER_RX);
        addIf(out, point.amount("server_split_polls") >= MOST_POLLS, SERVER_TX);
        addIf(out, point.amount("full_polls") >= MOST_POLLS, CLIENT_RX);
        addIf(out, point.amount("tx_wait_seconds") >= HELD_BACK * point.amount("seconds"), CLIENT_TX);
        addIf(out, out.isEmpty(), UNKNOWN);
        return out;
    }

    private static void addIf(List<LoadLimit> limits, boolean is, LoadLimit limit) {
        if (is) {
            limits.add(limit);
        }
    }
}
