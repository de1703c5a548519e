package io.fdt.core.nettest.load;

import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.Latencies;
import io.fdt.core.nettest.NamedFigures;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.PlanValue;
import io.fdt.core.nettest.load.LoadFrame.Turn;
import java.util.List;

/**
 * One step of the test under load.
 *
 * @param offeredPerSecond as it was wanted
 * @param seconds from the start of the step until its end or its last answer, whichever is later
 * @param offered requests that were due
 * @param done of these, the ones that were sent and answered; the others never got a buffer
 * @param latencies from when a request was due until its answer was there; of those that were never sent, until the end
 * @param mostInFlight requests that were sent and not answered
 * @param txWaits how often a request was due and no send buffer free
 * @param txWaitSeconds for how long
 * @param client what its receive calls brought, of answers
 * @param server what its receive calls brought, of requests
 * @param serverSplits receive calls of the server whose answers were more than its send buffers
 * @param clientBusy the share of time in which the client's thread had something to do
 * @param serverBusy the same of the server's
 */
public record LoadPoint(
        Pool pool,
        int offeredPerSecond,
        double seconds,
        long offered,
        long done,
        Latencies latencies,
        int mostInFlight,
        long txWaits,
        double txWaitSeconds,
        PollFigures client,
        PollFigures server,
        long serverSplits,
        double clientBusy,
        double serverBusy) {

    /** Buffers of one measurement, as many on either side. */
    public record Pool(int rxBuffers, int txBuffers) {
        NamedFigures figures() {
            return new NamedFigures().with("rx_buffers", rxBuffers).with("tx_buffers", txBuffers);
        }
    }

    /**
     * Receive calls that brought anything.
     *
     * @param fullPolls those that filled all buffers
     * @param most messages of one call
     */
    public record PollFigures(long polls, long messages, long fullPolls, long most) {
        static PollFigures of(Turn turn) {
            return new PollFigures(turn.polls(), turn.messages(), turn.fullPolls(), turn.mostInPoll());
        }

        /** Completions a poll. */
        double mean() {
            return polls == 0 ? 0 : (double) messages / polls;
        }

        double fullShare() {
            return polls == 0 ? 0 : (double) fullPolls / polls;
        }
    }

    double achievedPerSecond() {
        return seconds <= 0 ? 0 : done / seconds;
    }

    double txWaitShare() {
        return seconds <= 0 ? 0 : Math.min(1, txWaitSeconds / seconds);
    }

    double serverSplitShare() {
        return server.polls() == 0 ? 0 : (double) serverSplits / server.polls();
    }

    /** What ran out; empty where all that was offered was done. */
    List<String> ranOutWords() {
        return LoadLimit.of(this).stream().map(LoadLimit::word).toList();
    }

    private NamedFigures figures() {
        return pool.figures()
                .with("offered_per_second", offeredPerSecond)
                .with("achieved_per_second", achievedPerSecond(), 1)
                .with("offered", offered)
                .with("done", done)
                .with("never_sent", offered - done)
                .with("seconds", seconds, 6)
                .with(latencies)
                .with("completions_per_poll", client.mean(), 3)
                .with("most_completions", client.most())
                .with("full_polls", client.fullShare(), 4)
                .with("server_completions_per_poll", server.mean(), 3)
                .with("server_most_completions", server.most())
                .with("server_full_polls", server.fullShare(), 4)
                .with("server_split_polls", serverSplitShare(), 4)
                .with("server_requests", server.messages())
                .with("most_in_flight", mostInFlight)
                .with("tx_waits", txWaits)
                .with("tx_wait_seconds", txWaitSeconds, 6)
                .with("busy_local", clientBusy, 4)
                .with("busy_remote", serverBusy, 4)
                .with("ran_out", ranOutWords());
    }

    /**
     * The result of these steps.
     *
     * @param capacityPerSecond what a closed loop with the largest pools reached before the first step
     * @param points in the order in which they were measured: pool after pool, each with rising load
     */
    public static NettestResult result(
            NettestPlan plan, Circumstances circumstances, double capacityPerSecond, List<LoadPoint> points) {
        int sizeBytes = plan.get(PlanValue.SIZE_BYTES);
        NamedFigures figures = circumstances
                .ways()
                .with("what", "due-to-answer")
                .with("loop", "open")
                .with("size_bytes", sizeBytes)
                .with("closed_loop_per_second", capacityPerSecond, 1)
                .with("points", points.stream().map(LoadPoint::figures).toList())
                .with(
                        "pools",
                        LoadVerdict.of(points).stream()
                                .map(LoadVerdict::figures)
                                .toList());
        long done = figures.sum("points", "done");
        NamedFigures summary = new NamedFigures()
                .with("bytes", 2 * done * sizeBytes)
                .with("offered", figures.sum("points", "offered"))
                .with("done", done);
        return new NettestResult(plan, circumstances, figures, summary);
    }
}
