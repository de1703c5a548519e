package io.fdt.cli.nettest.view;

import io.fdt.cli.console.JsonLine;
import io.fdt.core.nettest.LatencyPlan;
import io.fdt.core.nettest.LatencyResult;
import io.fdt.core.nettest.LoadPlan;
import io.fdt.core.nettest.LoadResult;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestProgress;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.ObjectsPlan;
import io.fdt.core.nettest.ObjectsResult;
import io.fdt.core.nettest.RoundProgress;
import io.fdt.core.nettest.RpcPlan;
import io.fdt.core.nettest.RpcResult;
import io.fdt.core.nettest.SweepPlan;
import io.fdt.core.nettest.SweepResult;
import io.fdt.core.nettest.ThroughputPlan;
import io.fdt.core.nettest.ThroughputResult;
import java.io.IOException;
import java.util.List;

/** Which view shows which suite. */
public final class SuiteViews {
    private SuiteViews() {}

    public static PlanView of(NettestPlan plan) {
        if (plan instanceof ThroughputPlan throughput) {
            return new ThroughputPlanView(throughput);
        }
        if (plan instanceof SweepPlan sweep) {
            return new SweepPlanView(sweep);
        }
        if (plan instanceof LatencyPlan latency) {
            return new LatencyPlanView(latency);
        }
        if (plan instanceof RpcPlan rpc) {
            return new RpcPlanView(rpc);
        }
        if (plan instanceof ObjectsPlan objects) {
            return new ObjectsPlanView(objects);
        }
        if (plan instanceof LoadPlan load) {
            return new LoadPlanView(load);
        }
        throw new IllegalStateException("no view for " + plan);
    }

    public static ResultView of(NettestResult result) {
        if (result instanceof ThroughputResult throughput) {
            return new ThroughputView(throughput);
        }
        if (result instanceof SweepResult sweep) {
            return new SweepView(sweep);
        }
        if (result instanceof LatencyResult latency) {
            return new LatencyView(latency);
        }
        if (result instanceof RpcResult rpc) {
            return new RpcView(rpc);
        }
        if (result instanceof ObjectsResult objects) {
            return new ObjectsView(objects);
        }
        if (result instanceof LoadResult load) {
            return new LoadView(load);
        }
        throw new IllegalStateException("no view for " + result);
    }

    /** The lines that tell of a second. */
    public static List<String> lines(NettestProgress progress, boolean verbose) {
        if (progress instanceof ThroughputResult.Interval interval) {
            return ThroughputView.lines(interval, verbose);
        }
        if (progress instanceof RoundProgress round) {
            return RoundProgressView.lines(round);
        }
        if (progress instanceof ObjectsResult.Interval interval) {
            return List.of(ObjectsView.line(interval));
        }
        if (progress instanceof LoadResult.Interval interval) {
            return List.of(LoadView.line(interval));
        }
        throw new IllegalStateException("no view for " + progress);
    }

    public static void write(JsonLine line, NettestProgress progress) throws IOException {
        if (progress instanceof ThroughputResult.Interval interval) {
            ThroughputView.write(line, interval);
        } else if (progress instanceof RoundProgress round) {
            RoundProgressView.write(line, round);
        } else if (progress instanceof ObjectsResult.Interval interval) {
            ObjectsView.write(line, interval);
        } else if (progress instanceof LoadResult.Interval interval) {
            LoadView.write(line, interval);
        } else {
            throw new IllegalStateException("no view for " + progress);
        }
    }
}
