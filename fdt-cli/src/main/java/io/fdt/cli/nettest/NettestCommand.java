package io.fdt.cli.nettest;

import io.fdt.cli.command.ArgumentReader;
import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.command.Help;
import io.fdt.cli.display.EventLog;
import io.fdt.cli.display.JsonMode;
import io.fdt.cli.display.OutputForm;
import io.fdt.cli.monitor.Monitoring;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.NettestOptions;
import io.fdt.cli.option.OtherTools;
import io.fdt.cli.option.Settings;
import io.fdt.cli.report.Report;
import io.fdt.cli.run.JobRun;
import io.fdt.cli.run.PlainRun;
import io.fdt.core.Fdt;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.NewFile;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.host.Host;
import io.fdt.core.host.ThreadCores;
import io.fdt.core.host.tune.NodeCores;
import io.fdt.core.nettest.Latencies;
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.Suite;
import io.fdt.core.nettest.service.Suites;
import io.fdt.core.plan.LaneRange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code nettest}: one network test, from the arguments to the exit code; or the report of earlier tests. */
public final class NettestCommand extends Command {
    private static final String STOPPING =
            "fdt: stopping; showing what was measured so far (interrupt again to stop at once)";
    private static final long PATIENCE_MS = 950;
    private static final String REPORT = "report";
    private static final String THIS_RUN = "this run";

    private final Command report = new ReportCommand();
    private final Supplier<NodeCores> nodes;

    public NettestCommand() {
        this(() -> NodeCores.of(Host.read(Path.of("/")), ThreadCores.allowed()));
    }

    /** @param nodes the cores to compare; throws USAGE if there is nothing to compare */
    NettestCommand(Supplier<NodeCores> nodes) {
        super("nettest", "measure a network path and find what limits it", "[SUITE] HOST[:PORT] | report RESULT…");
        this.nodes = nodes;
    }

    @Override
    protected Help help() {
        return Help.of(NettestOptions.ALL)
                .common(NettestOptions.COMMON)
                .words(Stream.concat(SuitePlans.words().stream(), Stream.of(REPORT))
                        .toList())
                .foreign(OtherTools.OF_NETWORK_TESTS)
                .about("""
                        Measures the path to a running fdt server with the lanes that copy files, and names the
                        bottleneck. It needs a key, as a copy does.

                        The result goes to stdout, a line per second to stderr. Ctrl-C ends the test early and shows
                        what was measured.

                        """ + SuiteHelp.ofAll())
                .example("nettest dtn2", "10 seconds from here to the server dtn2")
                .example("nettest throughput --bidir -P 16 --duration 30s dtn2", "16 streams each way")
                .example("nettest --reverse --receive copy --json dtn2:4000", "from there to here; JSON on stdout")
                .example(
                        "nettest sweep --report sweep.html --compare vmi dtn2",
                        "bandwidth by message size, 1 B to 4 MiB")
                .example("nettest latency --busy-poll dtn2", "round trips without waking threads")
                .example("nettest rpc --concurrent 8 dtn2", "requests with answers of 100 B to 1 MB, eight at a time")
                .example(
                        "nettest rpc --servers dtn3,dtn4 --concurrent 6 dtn2",
                        "three servers at once, two lanes to each")
                .example("nettest --via engine -P 16 dtn2", "the same through everything that copies files")
                .example("nettest --tls --csv seconds.csv dtn2", "throughput of encrypted lanes; each second as CSV")
                .example(
                        "nettest -P 16 --bidir --report r.html --compare fdt-40ge dtn2",
                        "plot the result next to published figures")
                .example(
                        "nettest objects --op write --durable log --concurrent 8 dtn2",
                        "how fast small objects become durable, eight at a time")
                .example(
                        "nettest load --duration 1m --report l.html --compare buffer-pools dtn2",
                        "rising load with buffer pools of several sizes: where throughput falls, and why")
                .example(
                        "nettest load --offered 10k..320k --rx-buffers 48 --tx-buffers 8,64 dtn2",
                        "this many requests per second, with two pools");
    }

    @Override
    public List<Command> subcommands() {
        return List.of(report);
    }

    @Override
    public List<Command> explained() {
        return Stream.concat(SuiteHelp.all(this).stream(), subcommands().stream())
                .toList();
    }

    @Override
    public int run(List<String> args, Context context) {
        if (!args.isEmpty() && args.get(0).equals(REPORT)) {
            return report.run(args.subList(1, args.size()), context);
        }
        NettestRequest request;
        @Nullable NodeCores compared;
        try {
            GivenArguments given = ArgumentReader.read(this, args);
            if (given.asksForText()) {
                return PlainRun.text(this, given, context);
            }
            Settings settings = Settings.of(name(), given, context.environment());
            PlainRun.note(settings, context);
            request = NettestRequest.of(given, settings, context);
            compared = request.comparesNodes() ? nodes.get() : null;
        } catch (TransferException refused) {
            boolean json = JsonMode.asked(name(), args, context.environment()) != JsonMode.OFF;
            Suite suite = SuitePlans.named(args).orElse(Suites.ALL.get(0));
            NettestDisplay display = json
                    ? new NettestJson(context.console(), suite)
                    : new NettestText(context.console(), suite, false, true, false);
            display.onEnd(withoutStart(refused));
            return refused.kind().exitCode();
        }
        int exitCode = compared == null
                ? measure(new Testing(request, context), request, context)
                : compare(compared, request, context);
        return PlainRun.exitCode(exitCode, context.console());
    }

    private static int measure(Testing testing, NettestRequest request, Context context) {
        return JobRun.run(context, testing, request.output().verbose(), STOPPING, PATIENCE_MS);
    }

    /** Measures with lanes on the NIC's node and then on another one. */
    private static int compare(NodeCores nodes, NettestRequest request, Context context) {
        double[] bitsPerSecond = new double[2];
        for (int run = 0; run < bitsPerSecond.length; run++) {
            NettestRequest pinned = request.withLanesOn(run == 0 ? nodes.same() : nodes.other());
            Testing testing = new Testing(pinned, context);
            int exitCode = measure(testing, pinned, context);
            if (exitCode != 0) {
                return exitCode;
            }
            bitsPerSecond[run] = testing.bitsPerSecond();
        }
        JsonObject line = new JsonObject()
                .with("nic", nodes.nic())
                .with("node", nodes.node())
                .with("same_node_cores", nodes.same().toString())
                .with("same_node_bits_per_second", bitsPerSecond[0], 1)
                .with("other_node_cores", nodes.other().toString())
                .with("other_node_bits_per_second", bitsPerSecond[1], 1)
                .with("faster", nodes.faster(bitsPerSecond[0], bitsPerSecond[1]));
        if (request.output().json()) {
            context.console().data(line.line("nodes"));
        } else {
            context.console().data(nodes.verdict(bitsPerSecond[0], bitsPerSecond[1]));
        }
        return 0;
    }

    private static NettestDisplay display(Context context, NettestRequest request) {
        OutputForm output = request.output();
        return output.json()
                ? new NettestJson(context.console(), request.plan().suite())
                : new NettestText(
                        context.console(),
                        request.plan().suite(),
                        output.verbose(),
                        // With JSON, the log contains it.
                        output.quiet() || output.log().json(),
                        request.results().histogram());
    }

    private static NettestOutcome withoutStart(TransferException failure) {
        return new NettestOutcome(failure.failure(), null, 0, "");
    }

    private static final class Testing implements JobRun.CommandJob<NettestJob, NettestOutcome> {
        private final NettestRequest request;
        private final Context context;
        private final NettestOutputs outputs;
        private volatile Monitoring monitoring = Monitoring.NONE;

        /** The result to show, even if the requested files cannot be written. */
        private volatile @Nullable NettestOutcome measured;

        Testing(NettestRequest request, Context context) {
            this.request = request;
            this.context = context;
            this.outputs = new NettestOutputs(
                    EventLog.begin(context, request.output().log()),
                    request.plan().suite(),
                    display(context, request),
                    session -> monitoring.observe(session));
        }

        @Override
        public NettestJob start() {
            monitoring = Monitoring.start(
                    request.monitor(), "nettest", request.output().json(), context);
            Fdt fdt = request.network()
                    .applied(context.fdt(), request.plan().path().host());
            LaneRange copyLanes = request.copyLanes();
            return copyLanes != null
                    ? new NettestRun(request.plan(), copyLanes, outputs).start(fdt)
                    : fdt.nettest(request.plan(), outputs);
        }

        @Override
        public NettestOutcome conclude(NettestOutcome outcome) {
            measured = outcome;
            monitoring.onNettest(request.plan(), request.copyLanes() != null, outcome);
            NettestResult result = outcome.result();
            return result == null ? outcome : withFiles(outcome, result);
        }

        /** The measured rate, both ways together; 0 without a result. */
        double bitsPerSecond() {
            NettestOutcome outcome = measured;
            NettestResult result = outcome == null ? null : outcome.result();
            return result == null
                    ? 0
                    : result.headlines().stream()
                            .mapToDouble(NettestResult.Headline::bitsPerSecond)
                            .filter(bits -> bits > 0)
                            .sum();
        }

        @Override
        public void close() {
            monitoring.close();
        }

        /** If a requested file cannot be written, that is a failure, unless there is a worse one. */
        private NettestOutcome withFiles(NettestOutcome outcome, NettestResult result) {
            try {
                NettestRequest.Results files = request.results();
                if (files.csv() != null) {
                    String lines = String.join("\n", result.plan().suite().csv(result)) + "\n";
                    write(files.csv(), lines.getBytes(StandardCharsets.UTF_8));
                }
                if (files.percentiles() != null) {
                    writePercentiles(files.percentiles(), result.points());
                }
                if (files.report() != null) {
                    String json = new String(NettestJson.resultLine(result), StandardCharsets.UTF_8);
                    Report.ofResult(THIS_RUN, json, files.comparisons(), SuitePlans::optionName)
                            .writeTo(files.report());
                }
                return outcome;
            } catch (TransferException unwritable) {
                return outcome.failure() != null ? outcome : failed(outcome, unwritable);
            }
        }

        /** Tables for HdrHistogram's plotters; for more than one size, one file each: {@code out.hdr.128}. */
        private static void writePercentiles(Path file, List<JsonObject> points) {
            for (JsonObject point : points) {
                ByteArrayOutputStream table = new ByteArrayOutputStream();
                Latencies.of(point).writePercentiles(new PrintStream(table, true, StandardCharsets.UTF_8));
                write(points.size() > 1 ? Path.of(file + "." + point.count("size_bytes")) : file, table.toByteArray());
            }
        }

        private static void write(Path file, byte[] content) {
            try {
                NewFile.write(file, content);
            } catch (IOException e) {
                throw Cause.NO_RECORD.failure("cannot write " + file + ": " + TransferException.reason(e), e);
            }
        }

        private static NettestOutcome failed(NettestOutcome outcome, TransferException failure) {
            return new NettestOutcome(failure.failure(), outcome.result(), outcome.elapsedNanos(), outcome.session());
        }

        @Override
        public NettestOutcome withoutJob(TransferException failure) {
            return withoutStart(failure);
        }

        @Override
        public NettestOutcome abandoned(@Nullable NettestJob job, TransferException failure) {
            NettestOutcome outcome = measured;
            return outcome == null ? withoutStart(failure) : failed(outcome, failure);
        }

        @Override
        public void status(@Nullable NettestJob job) {
            outputs.logStatus();
        }

        @Override
        public void show(NettestOutcome outcome) {
            outputs.onEnd(outcome);
        }
    }
}
