package io.fdt.monitor;

import io.fdt.core.stats.Bottleneck;
import io.fdt.core.stats.SessionActivity.Direction;
import java.util.List;

/** What held a session back, as a word for labels and as a sentence for people. Pure functions. */
final class Verdicts {
    /** Every word that {@link #limit} can give. */
    static final List<String> CAUSES =
            List.of("source-disk", "sender-cpu", "rate-limit", "network", "target-disk", "receiver-cpu", "idle");

    private Verdicts() {}

    /** A sender that is blocked is held back by the network or by what is behind it. */
    static String limit(Bottleneck.Share share) {
        return share.limit().equals("blocked") ? "network" : share.limit();
    }

    static String sentence(Direction direction, Bottleneck.Share share) {
        String spent = "the lanes spent " + share.percent() + " % of the last seconds ";
        return switch (share.limit()) {
            case "rate-limit" -> spent + "held back by the rate limit";
            case "source-disk" -> spent + "reading: the source disk is the limit";
            case "sender-cpu" -> spent + "hashing and sending: the sender's cores are the limit";
            case "target-disk" -> spent + "writing: the target disk is the limit";
            case "receiver-cpu" -> spent + "hashing: the receiver's cores are the limit";
            case "blocked" -> spent + "waiting for the network to take more: the network or the receiver is the limit";
            default ->
                direction == Direction.OUT
                        ? spent + "without work: files are found, or acknowledged, more slowly than they are sent"
                        : spent + "waiting for bytes: the sender or the network is the limit";
        };
    }
}
