package io.fdt.core.nettest;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.wire.NettestMessage;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import java.util.Arrays;
import java.util.Locale;

/** Every suite, for either side: the one place where a suite is entered. */
final class Suites {
    private Suites() {}

    /**
     * What the client does.
     *
     * @throws IllegalStateException for a plan that is not entered here
     */
    static ClientSuite ofClient(NettestPlan plan) {
        if (plan instanceof ThroughputPlan throughput) {
            return new ThroughputClient(throughput);
        }
        if (plan instanceof SweepPlan sweep) {
            return new SweepClient(sweep);
        }
        if (plan instanceof LatencyPlan latency) {
            return new LatencyClient(latency);
        }
        if (plan instanceof RpcPlan rpc) {
            return new RpcClient(rpc);
        }
        if (plan instanceof ObjectsPlan objects) {
            return new ObjectsClient(objects);
        }
        if (plan instanceof LoadPlan load) {
            return new LoadClient(load);
        }
        throw new IllegalStateException("no suite for " + plan);
    }

    /** What the server does for a request that {@link #check} has passed. */
    static Suite ofServer(OpenNettest request, ObjectsHost objects) {
        return switch (request.suite()) {
            case THROUGHPUT -> new ThroughputSuite(request, false);
            case SWEEP -> new SweepSuite(request);
            case LATENCY -> request.queue() == null ? new LatencySuite(request) : new QueueLatencySuite(request);
            case RPC -> new RpcSuite(request);
            case OBJECTS -> ObjectsServer.open(request, objects);
            case LOAD -> new LoadSuite(request);
        };
    }

    /**
     * Looks at a request before anything is made for it.
     *
     * @throws TransferException VERSION for fields that make no test
     */
    static void check(OpenNettest request) {
        switch (request.suite()) {
            case THROUGHPUT -> {}
            case SWEEP, LATENCY ->
                require(
                        request,
                        request.lanesOut() == 1
                                && hasSizes(request)
                                && request.messages() > 0
                                && (request.queue() == null || fitQueues(request)));
            case RPC -> require(request, hasSizes(request) && request.requestBytes() >= Answers.HEAD_BYTES);
            case OBJECTS -> ObjectsServer.check(request);
            case LOAD -> require(request, LoadSuite.isSound(request));
        }
    }

    private static boolean hasSizes(OpenNettest request) {
        return request.lanesIn() == 0
                && request.sizes().length > 0
                && Arrays.stream(request.sizes()).allMatch(size -> size > 0);
    }

    private static boolean fitQueues(OpenNettest request) {
        return Arrays.stream(request.sizes()).allMatch(size -> size <= QueueUse.MOST_MESSAGE_BYTES);
    }

    private static void require(OpenNettest request, boolean sound) {
        if (!sound) {
            throw new TransferException(
                    FailureKind.VERSION,
                    "a request for the network test " + word(request.suite()) + " that does not fit together");
        }
    }

    private static String word(NettestMessage.Suite suite) {
        return suite.name().toLowerCase(Locale.ROOT);
    }
}
