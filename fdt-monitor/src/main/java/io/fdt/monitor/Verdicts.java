package io.fdt.monitor;

import io.fdt.core.stats.Bottleneck;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.monitor.figure.Sample;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The bottleneck of a session, as a label value and as a sentence. Pure functions. */
final class Verdicts {
    /** All results of {@link #limit}. */
    static final List<String> CAUSES = List.of(
            "source-disk",
            "sender-cpu",
            "sender-foreign-load",
            "rate-limit",
            "network",
            "target-disk",
            "receiver-cpu",
            "receiver-foreign-load",
            "idle",
            "peer-gone");

    /** Of a session that goes on without its other end. */
    static final Sample.Limit PEER_GONE =
            new Sample.Limit("peer-gone", "the other end has gone; the session waits for it to connect again");

    private Verdicts() {}

    /** If only the sender is known and it is blocked, the bottleneck is the network or the receiver. */
    static String limit(Bottleneck.Share share) {
        return share.limit().equals("blocked") ? "network" : share.limit();
    }

    /** Returns the verdict of a summary; null if it has none. */
    static Sample.@Nullable Limit whole(String bottleneck) {
        String sentence = switch (bottleneck) {
            case "" -> null;
            case Bottleneck.NONE -> "nothing held it back, or it was too short to tell";
            case "rate-limit" -> "the rate limit was the bottleneck";
            case "source-disk" -> "the source disk was the bottleneck";
            case "sender-cpu" -> "the sender's cores were the bottleneck";
            case "target-disk" -> "the target disk was the bottleneck";
            case "receiver-cpu" -> "the receiver's cores were the bottleneck";
            case "sender-foreign-load" -> "other programs on the sending host were the bottleneck";
            case "receiver-foreign-load" -> "other programs on the receiving host were the bottleneck";
            case Bottleneck.NETWORK -> "the network was the bottleneck";
            default -> bottleneck + " was the bottleneck";
        };
        return sentence == null ? null : new Sample.Limit(bottleneck, sentence);
    }

    static String sentence(Direction direction, Bottleneck.Share share) {
        if (share.percent() == 0 && share.limit().equals("idle")) {
            return "the lanes report nothing of the last seconds: they are stalled, or none is open";
        }
        String spent = "the lanes spent " + share.percent() + " % of the last seconds ";
        return switch (share.limit()) {
            case "rate-limit" -> spent + "waiting for the rate limit, which is the bottleneck";
            case "source-disk" -> spent + "reading: the source disk is the bottleneck";
            case "sender-cpu" -> spent + "hashing and sending: the sender's cores are the bottleneck";
            case "target-disk" -> spent + "writing: the target disk is the bottleneck";
            case "receiver-cpu" -> spent + "hashing: the receiver's cores are the bottleneck";
            case "sender-foreign-load" -> "other programs use the cores of the sending host, which are the bottleneck";
            case "receiver-foreign-load" ->
                "other programs use the cores of the receiving host, which are the bottleneck";
            case "network" -> spent + "waiting for the network, which is the bottleneck";
            case "blocked" -> spent + "waiting for the network: the network or the receiver is the bottleneck";
            default ->
                direction == Direction.OUT
                        ? spent + "idle: files are found, or acknowledged, more slowly than they are sent"
                        : spent + "waiting for data: the sender or the network is the bottleneck";
        };
    }
}
