package io.fdt.core.nettest.service;

import io.fdt.core.failure.Cause;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.Suite;
import io.fdt.core.nettest.load.LoadSuite;
import io.fdt.core.nettest.objects.ObjectsSuite;
import io.fdt.core.nettest.stream.LatencySuite;
import io.fdt.core.nettest.stream.RpcSuite;
import io.fdt.core.nettest.stream.SweepSuite;
import io.fdt.core.nettest.stream.ThroughputSuite;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import java.util.List;
import java.util.Optional;

/** The table of suites: the only place that lists them. */
public final class Suites {
    /** The first is the default. */
    public static final List<Suite> ALL = List.of(
            ThroughputSuite.THROUGHPUT,
            SweepSuite.SWEEP,
            LatencySuite.LATENCY,
            RpcSuite.RPC,
            ObjectsSuite.OBJECTS,
            LoadSuite.LOAD);

    private Suites() {}

    public static Optional<Suite> named(String name) {
        return ALL.stream().filter(suite -> suite.name().equals(name)).findFirst();
    }

    /** The plan of a request, checked; throws VERSION if there is none. */
    static NettestPlan plan(OpenNettest request) {
        Suite suite = named(request.suite())
                .orElseThrow(() -> Cause.VERSION.failure("this server has no network test " + request.suite()));
        return NettestPlan.of(suite, request);
    }
}
