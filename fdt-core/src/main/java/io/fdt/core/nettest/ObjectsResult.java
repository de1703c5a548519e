package io.fdt.core.nettest;

import io.fdt.core.wire.NettestMessage.HostFacts;
import java.util.List;

/**
 * What a test of objects measured. Immutable.
 *
 * @param points one for each size
 * @param objectsHeld by the server, of all sizes
 * @param objectsKept of these, the ones that it found in its log
 * @param logRecords writes in its log at the end, those from before included
 * @param logGroups how often it flushed the log, each time for all writes that were waiting
 */
public record ObjectsResult(
        ObjectsPlan plan,
        String transport,
        HostFacts local,
        HostFacts remote,
        double seconds,
        boolean whole,
        double cpuSecondsLocal,
        double cpuSecondsRemote,
        List<Point> points,
        long objectsHeld,
        long objectsKept,
        long logRecords,
        long logGroups)
        implements NettestResult {

    public ObjectsResult {
        points = List.copyOf(points);
    }

    @Override
    public int streams() {
        return plan.concurrent();
    }

    @Override
    public List<Headline> headlines() {
        return points.stream()
                .map(point -> new Headline(
                        plan.writing() ? "out" : "in",
                        point.sizeBytes(),
                        8 * point.bytesPerSecond(),
                        point.perSecond(),
                        Headline.quantiles(point.p50Us(), point.p99Us(), point.p999Us())))
                .toList();
    }

    /**
     * One size.
     *
     * @param bytesPerSecond of values
     */
    public record Point(
            int sizeBytes,
            int concurrent,
            long operations,
            double perSecond,
            double bytesPerSecond,
            double minUs,
            double meanUs,
            double p50Us,
            double p90Us,
            double p99Us,
            double p999Us,
            double p9999Us,
            double maxUs) {}

    /**
     * About a second.
     *
     * @param perSecond operations
     */
    public record Interval(double t, double perSecond) implements NettestProgress {}
}
