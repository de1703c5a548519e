package io.fdt.core.nettest;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.wire.NettestMessage;
import io.fdt.core.wire.NettestMessage.OpenNettest;
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
        if (plan instanceof ObjectsPlan objects) {
            return new ObjectsClient(objects);
        }
        throw new IllegalStateException("no suite for " + plan);
    }

    /** What the server does for a request that {@link #check} has passed. */
    static Suite ofServer(OpenNettest request, ObjectsHost objects) {
        return switch (request.suite()) {
            case THROUGHPUT -> new ThroughputSuite(request, false);
            case OBJECTS -> ObjectsServer.open(request, objects);
            case SWEEP, LATENCY, RPC, LOAD -> throw notServed(request.suite());
        };
    }

    /**
     * Looks at a request before anything is made for it.
     *
     * @throws TransferException REFUSED for a suite that this server does not have, VERSION for fields that make no test
     */
    static void check(OpenNettest request) {
        switch (request.suite()) {
            case THROUGHPUT -> {}
            case OBJECTS -> ObjectsServer.check(request);
            case SWEEP, LATENCY, RPC, LOAD -> throw notServed(request.suite());
        }
    }

    private static TransferException notServed(NettestMessage.Suite suite) {
        return new TransferException(
                FailureKind.REFUSED,
                "this server does not have the network test " + suite.name().toLowerCase(Locale.ROOT));
    }
}
