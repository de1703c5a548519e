package io.fdt.core.nettest;

import io.fdt.core.wire.NettestMessage.HostFacts;

/** The result of a suite that measures one point after the other. */
public sealed interface PointsResult extends NettestResult permits SweepResult, LatencyResult, RpcResult, LoadResult {
    Circumstances circumstances();

    @Override
    default String transport() {
        return circumstances().transport();
    }

    @Override
    default HostFacts local() {
        return circumstances().local();
    }

    @Override
    default HostFacts remote() {
        return circumstances().remote();
    }

    @Override
    default double seconds() {
        return circumstances().seconds();
    }

    @Override
    default boolean whole() {
        return circumstances().whole();
    }

    @Override
    default double cpuSecondsLocal() {
        return circumstances().cpuSecondsLocal();
    }

    @Override
    default double cpuSecondsRemote() {
        return circumstances().cpuSecondsRemote();
    }
}
