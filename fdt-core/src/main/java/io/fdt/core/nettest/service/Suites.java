package io.fdt.core.nettest.service;

import io.fdt.core.FailureKind;
import io.fdt.core.Word;
import io.fdt.core.nettest.SuiteClient;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.SuiteSide;
import io.fdt.core.nettest.load.LoadClient;
import io.fdt.core.nettest.objects.ObjectsClient;
import io.fdt.core.nettest.objects.ObjectsHost;
import io.fdt.core.nettest.objects.ObjectsServer;
import io.fdt.core.nettest.stream.Bursts;
import io.fdt.core.nettest.stream.LatencyClient;
import io.fdt.core.nettest.stream.RpcClient;
import io.fdt.core.nettest.stream.StreamSuites;
import io.fdt.core.nettest.stream.ThroughputClient;
import io.fdt.core.wire.NettestMessage.OpenNettest;

/** All suites, for both sides: the only place where suites are registered. */
final class Suites {
    private Suites() {}

    /** The client's side. */
    static SuiteClient ofClient(NettestPlan plan) {
        return switch (plan.suite()) {
            case THROUGHPUT -> new ThroughputClient(plan);
            case SWEEP -> new Bursts(plan);
            case LATENCY -> new LatencyClient(plan);
            case RPC -> new RpcClient(plan).ofServer(0, plan);
            case OBJECTS -> new ObjectsClient(plan);
            case LOAD -> new LoadClient(plan);
        };
    }

    /** The server's side of a request that {@link #check} has accepted. */
    static SuiteSide ofServer(OpenNettest request, ObjectsHost objects) {
        return switch (request.suite()) {
            case THROUGHPUT, SWEEP, LATENCY, RPC -> StreamSuites.ofServer(request);
            case OBJECTS -> ObjectsServer.open(request, objects);
            case LOAD -> LoadClient.ofServer(request);
        };
    }

    /** Checks a request before anything is created for it; throws VERSION for invalid fields. */
    static void check(OpenNettest request) {
        boolean sound = switch (request.suite()) {
            case THROUGHPUT, SWEEP, LATENCY, RPC -> StreamSuites.isSound(request);
            case OBJECTS -> ObjectsServer.isSound(request);
            case LOAD -> LoadClient.isSound(request);
        };
        if (!sound) {
            throw FailureKind.VERSION.failure(
                    "the request for the network test " + Word.of(request.suite()) + " contradicts itself");
        }
    }
}
