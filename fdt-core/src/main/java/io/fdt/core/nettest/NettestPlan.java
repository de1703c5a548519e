package io.fdt.core.nettest;

import io.fdt.core.transport.Carrier;
import io.fdt.core.wire.NettestMessage.OpenNettest;

/** A checked network test. A record for every suite; {@link Suites} knows what each of them does. */
public sealed interface NettestPlan permits ThroughputPlan, SweepPlan, LatencyPlan, RpcPlan, ObjectsPlan, LoadPlan {
    NettestPath path();

    /** What the server is asked for. */
    OpenNettest request();

    /** What the server must be able to do for it: bits of {@link io.fdt.core.wire.Capability}. */
    default long needed() {
        return 0;
    }

    /** The same with lanes that something else carries: what does is not known before the session is open. */
    NettestPlan over(Carrier carrier);
}
