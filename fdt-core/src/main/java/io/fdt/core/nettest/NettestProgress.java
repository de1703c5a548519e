package io.fdt.core.nettest;

/** What happened in about a second of a network test. A record for each kind of suite. */
public sealed interface NettestProgress
        permits ThroughputResult.Interval, RoundProgress, ObjectsResult.Interval, LoadResult.Interval {
    /** Seconds since the start, at its end. */
    double t();
}
