package io.fdt.core.nettest;

import io.fdt.core.wire.NettestMessage.HostFacts;

/** What a network test measured. A record for every suite; this is what is said of each of them. */
public sealed interface NettestResult permits ThroughputResult, PointsResult, ObjectsResult {
    NettestPlan plan();

    /** What carried the lanes, in words. */
    String transport();

    HostFacts local();

    HostFacts remote();

    /** From the start until the last lane had ended. */
    double seconds();

    /** Whether the figures of both ends are complete. */
    boolean whole();

    /** Of this process. */
    double cpuSecondsLocal();

    /** Of the server's process; not a number where it has not told. */
    double cpuSecondsRemote();
}
