package io.fdt.core.wire;

import io.fdt.core.digest.Checksums;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.ServedFile;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.LaneCounters;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionState;
import io.fdt.core.stats.StreamFigures;
import io.fdt.core.stats.Summary;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message between a server's first process and the process of an account, on no control channel: what the process
 * has to do, and then what it observes of its sessions. Names in it are for display; only keys are exact.
 */
public sealed interface AccountMessage {
    /**
     * To the account's process, first.
     *
     * @param user the account that the process becomes, with its numbers: it looks up nothing itself
     * @param arguments of the first process
     * @param files whether it wants to know about each file
     * @param checksums that it wants of each file
     */
    record Begin(byte[] route, String user, int[] numbers, List<String> arguments, boolean files, Checksums checksums)
            implements AccountMessage {}

    /** There will be no process of the account. */
    record Failed(Failure failure) implements AccountMessage {}

    /**
     * A session has started, and its figures follow.
     *
     * @param number which no other session of this process has
     * @param admission of a client; empty if this process is the client
     */
    record Opened(long number, String session, String peer, SessionActivity.Admission admission)
            implements AccountMessage {}

    /** The session of a client has ended. */
    record Ended(long number, Summary summary) implements AccountMessage {}

    record FileEnded(long number, ServedFile file) implements AccountMessage {}

    record Warned(String text) implements AccountMessage {}

    record Refused(String peer, String why) implements AccountMessage {}

    record CountedRefusal(Cause cause) implements AccountMessage {}

    /**
     * What a session has done so far, once a second and at its end.
     *
     * @param state without its result, and with no more of its admission and of its end than the kind and whether
     */
    record Figures(long number, SessionState state, boolean peerGone, long flushNanos, List<LaneFigures> lanes)
            implements AccountMessage {}

    record LaneFigures(
            int index,
            SessionActivity.Direction direction,
            long bytes,
            boolean open,
            LaneCounters counters,
            LaneActivity.@Nullable Ends ends,
            @Nullable StreamFigures stream) {}
}
