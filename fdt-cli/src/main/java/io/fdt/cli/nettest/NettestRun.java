package io.fdt.cli.nettest;

import io.fdt.cli.display.ProgressDisplay;
import io.fdt.cli.display.ProgressTicker;
import io.fdt.cli.display.ProgressView;
import io.fdt.core.Fdt;
import io.fdt.core.basic.HostView;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Version;
import io.fdt.core.failure.Failure;
import io.fdt.core.host.Caption;
import io.fdt.core.host.CpuUse;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.LaneMode;
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.stream.Intervals;
import io.fdt.core.nettest.stream.ThroughputSums;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.Zeros;
import io.fdt.core.stats.CoreTimes;
import io.fdt.core.stats.HostFacts;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A memory test through the whole engine, reported as a throughput test: the same copy of {@code /dev/zero} to {@code
 * /dev/null} that {@code client} makes, so that the two can be compared. The remote end's CPU time and the figures of
 * TCP are unknown, because a transfer does not report them. {@link #onProgress} is called on the ticker's thread,
 * before the end.
 */
final class NettestRun implements NettestJob, TransferObserver, ProgressDisplay {
    private static final long INTERVAL_MS = 1_000;

    private final NettestPlan plan;
    private final LaneRange lanes;
    private final NettestObserver observer;
    private final CpuUse cpu = new CpuUse(Path.of("/"));
    private final List<CoreTimes> coresAtStart = cpu.cores();
    private final long cpuAtStart = cpu.processNanos();
    private final List<JsonObject> intervals = new ArrayList<>();
    private List<CoreTimes> coresBefore = coresAtStart;
    private long bytesBefore;
    private long nanosBefore;
    private volatile String transport = "";
    /** As the user wrote it, until it says its name. */
    private volatile String remoteHost;

    private volatile @Nullable SessionActivity session;
    private volatile List<String> evidence = List.of();
    private volatile @Nullable TransferJob job;

    NettestRun(NettestPlan plan, LaneRange lanes, NettestObserver observer) {
        this.plan = plan;
        this.lanes = lanes;
        this.observer = observer;
        this.remoteHost = plan.path().host();
    }

    NettestRun start(Fdt fdt) {
        job = fdt.copy(transferPlan(), this);
        return this;
    }

    TransferPlan transferPlan() {
        return TransferPlan.of(
                        plan.get(NettestValue.DIRECTION) == Direction.IN
                                ? TransferPlan.Direction.PULL
                                : TransferPlan.Direction.PUSH,
                        List.of(TransferPlan.DEV_ZERO),
                        TransferPlan.DEV_NULL)
                .at(plan.path().host(), plan.path().port())
                .with(CopyValue.EXISTING, TargetRules.Existing.OVERWRITE)
                .with(CopyValue.PRESERVE, Set.of())
                .with(CopyValue.ZEROS, Zeros.lasting(Duration.ofMillis(plan.get(NettestValue.DURATION))))
                .with(CopyValue.LANES, lanes)
                .with(CopyValue.CLEAR_LANES, plan.path().clear())
                .with(CopyValue.LOCAL_ADDRESSES, plan.path().localAddresses())
                .with(CopyValue.TIMEOUT_MS, plan.path().timeoutMs());
    }

    @Override
    public void onActivity(SessionActivity activity) {
        session = activity;
        observer.onActivity(activity);
    }

    private TransferJob job() {
        TransferJob started = job;
        if (started == null) {
            throw new IllegalStateException("the test was not started");
        }
        return started;
    }

    @Override
    public void interrupt(Failure why) {
        job().interrupt(why);
    }

    @Override
    public NettestOutcome await() throws InterruptedException {
        ProgressTicker ticker = ProgressTicker.start(job()::progress, this, System::nanoTime);
        Summary summary;
        try {
            summary = job().await();
        } finally {
            ticker.stop();
        }
        // Without a session nothing was measured, and a rate of zero would be wrong.
        NettestResult result = summary.run().session().isEmpty() ? null : result(summary);
        return new NettestOutcome(
                summary.failure(),
                result,
                summary.run().elapsedNanos(),
                summary.run().session());
    }

    @Override
    public boolean await(Duration limit) throws InterruptedException {
        return job().await(limit);
    }

    @Override
    public void close() {
        job().close();
    }

    @Override
    public void close(long timeoutMs) {
        job().close(timeoutMs);
    }

    private NettestResult result(Summary summary) {
        HostFacts local = Caption.of(Path.of("/"), null, Version.software());
        HostFacts remote = HostFacts.of(remoteHost);
        List<CoreTimes> cores = CpuUse.between(coresAtStart, cpu.cores());
        boolean out = plan.get(NettestValue.DIRECTION) != Direction.IN;
        return ThroughputSums.result(
                plan,
                new Circumstances(
                        transport,
                        summary.run().elapsedNanos() / 1e9,
                        summary.failure() == null,
                        new Circumstances.Side(local, (cpu.processNanos() - cpuAtStart) / 1e9, LaneMode.BLOCKS),
                        new Circumstances.Side(remote, Double.NaN, LaneMode.UNKNOWN)),
                "engine",
                out ? summary.bytes().moved().sent() : 0,
                out ? 0 : summary.bytes().moved().sent(),
                new ThroughputSums.Rows(List.of(), ThroughputSums.cores("local", cores), intervals),
                ThroughputSums.verdict(
                        summary.run().bottleneck(),
                        "The engine's own verdict, from what its lanes spent their time on: "
                                + summary.run().bottleneck() + ".",
                        evidence));
    }

    @Override
    public long progressIntervalMs() {
        return INTERVAL_MS;
    }

    @Override
    public void onProgress(ProgressView view) {
        long bytes = view.progress().bytes().moved().sent();
        long nanos = view.progress().elapsedNanos();
        double bits = nanos <= nanosBefore ? 0 : (bytes - bytesBefore) * 8e9 / (nanos - nanosBefore);
        List<CoreTimes> now = cpu.cores();
        List<Double> busy =
                CpuUse.between(coresBefore, now).stream().map(CoreTimes::busy).toList();
        coresBefore = now;
        bytesBefore = bytes;
        nanosBefore = nanos;
        look();
        boolean out = plan.get(NettestValue.DIRECTION) != Direction.IN;
        JsonObject interval = Intervals.figures(
                nanos / 1e9,
                out ? bits : 0,
                out ? 0 : bits,
                Intervals.UNKNOWN,
                Intervals.UNKNOWN,
                List.of(),
                new Intervals.Busy(busy, List.of()));
        intervals.add(interval);
        observer.onInterval(interval);
    }

    /** The last sample with open lanes counts. */
    private void look() {
        SessionActivity activity = session;
        HostView other = activity == null ? null : activity.peerHost().view();
        if (other != null) {
            remoteHost = other.host();
        }
        List<String> now = activity == null ? List.of() : PathEvidence.evidence(activity);
        if (!now.isEmpty()) {
            evidence = now;
        }
    }

    @Override
    public void onStart(String name, int laneCount, String carrier, String peer) {
        transport = carrier;
        observer.onStart(name, plan, carrier, peer);
    }

    @Override
    public void onFile(String path, FileOutcome outcome, long sizeBytes, @Nullable Failure why) {}

    @Override
    public void onWarning(String message) {
        observer.onWarning(message);
    }
}
