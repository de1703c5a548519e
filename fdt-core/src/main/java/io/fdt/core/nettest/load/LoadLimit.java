package io.fdt.core.nettest.load;

import io.fdt.core.Word;
import io.fdt.core.nettest.NamedFigures;
import java.util.ArrayList;
import java.util.List;

/** What can run out under load. */
enum LoadLimit {
    /** The thread that answers has no time left. */
    SERVER_CORE,
    /** The thread that asks has no time left. */
    CLIENT_CORE,
    /** Most receive calls of the server filled all its receive buffers. */
    SERVER_RX,
    /** The answers to most receive calls of the server were more than its send buffers. */
    SERVER_TX,
    /** Most receive calls of the client filled all its receive buffers. */
    CLIENT_RX,
    /** Requests were due and all send buffers of the client held requests that were not answered yet. */
    CLIENT_TX,
    /** What was offered was not reached, and nothing that is looked at ran out. */
    UNKNOWN;

    /** So much of what is offered is all of it: the last answers of a step come after its end. */
    private static final double KEPT_UP = 0.97;

    private static final double BUSY = 0.9;
    private static final double MOST_POLLS = 0.5;

    /** The bound of the verdict on throughput, for what holds a sender back. */
    private static final double HELD_BACK = 0.3;

    String word() {
        return Word.of(this).replace('_', '-');
    }

    /** Whether what was offered was done. */
    static boolean keptUp(NamedFigures point) {
        return point.amount("achieved_per_second") >= KEPT_UP * point.count("offered_per_second")
                && point.count("done") >= KEPT_UP * point.count("offered");
    }

    /**
     * What ran out in a step, the cores first: a core at its end fills the buffers, too, and more of them would not
     * help. Empty where all that was offered was done.
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
