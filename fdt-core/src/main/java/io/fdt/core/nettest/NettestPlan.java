package io.fdt.core.nettest;

import io.fdt.core.wire.NettestMessage.OpenNettest;

/** A checked network test. A record for every suite; {@link Suites} knows what each of them does. */
public sealed interface NettestPlan permits ThroughputPlan, SweepPlan, LatencyPlan, RpcPlan, ObjectsPlan, LoadPlan {
    NettestPath path();

    /** What the server is asked for. */
    OpenNettest request();
}
