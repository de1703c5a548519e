package io.fdt.cli;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.ThroughputPlan;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code nettest}: one network test, from the arguments to the exit code; or the report of tests that were run. */
final class NettestCommand implements Command {
    private static final String STOPPING = "fdt: stopping, with what was measured so far (once more ends at once)";
    private static final long PATIENCE_MS = 950;
    private static final String REPORT = "report";

    private final Command report = new ReportCommand();

    @Override
    public String name() {
        return "nettest";
    }

    @Override
    public String summary() {
        return "measure a path with the engine itself";
    }

    @Override
    public String operands() {
        return "[SUITE] HOST[:PORT] | report RESULT…";
    }

    @Override
    public List<String> operandWords() {
        return Stream.concat(NettestSuite.words().stream(), Stream.of(REPORT)).toList();
    }

    @Override
    public List<String> about() {
        return List.of(
                "Measures the path to a running fdt server with the lanes that move files, and says what limits it. The suite"
                        + " throughput, which is the default, sends as much as it can over parallel streams: no files, no hashes, and no"
                        + " encryption unless --tls asks for it.",
                "The suite objects reads or writes small objects at random that the server holds in memory, and with --durable log"
                        + " in a log on its disk, too: operations a second and their latencies for every size.",
                "The result goes to stdout; a line for every second goes to stderr. It has the rate each way and of each"
                        + " stream, retransmits and round-trip times, what the cores of both hosts were busy with, the processor time"
                        + " for a gigabyte, and a verdict with its evidence. Ctrl-C ends the test early and shows what was measured.");
    }

    @Override
    public List<Option> options() {
        return NettestOptions.ALL;
    }

    @Override
    public List<Example> examples() {
        return List.of(
                new Example("nettest dtn2", "10 seconds from here to the server dtn2"),
                new Example("nettest throughput --bidir -P 16 --duration 30s dtn2", "16 streams each way"),
                new Example("nettest --reverse --receive copy --json dtn2:4000", "from there to here; JSON on stdout"),
                new Example("nettest --via engine -P 16 dtn2", "the same through all that copies files"),
                new Example("nettest --tls --csv seconds.csv dtn2", "what encrypted lanes reach; each second as CSV"),
                new Example(
                        "nettest objects --op write --durable log --concurrent 8 dtn2",
                        "how fast small objects are put there durably, by eight at a time"));
    }

    @Override
    public int run(List<String> args, Context context) {
        if (!args.isEmpty() && args.get(0).equals(REPORT)) {
            return report.run(args.subList(1, args.size()), context);
        }
        NettestRequest request;
        try {
            GivenArguments given = ArgumentReader.read(this, args);
            if (given.has(CommonOptions.HELP)) {
                context.console().data(HelpText.of(this, context.environment()));
                return 0;
            }
            request = NettestRequest.of(given, Settings.of(this, given, context.environment()), context);
        } catch (TransferException refused) {
            boolean json = JsonMode.asked(args, context.environment()) != JsonMode.OFF;
            display(context, NettestSuite.asked(args), json, false, true).onEnd(withoutStart(refused));
            return refused.kind().exitCode();
        }
        return new JobRun<>(context, new Testing(request, context), STOPPING, PATIENCE_MS).run();
    }

    private static NettestDisplay display(
            Context context, NettestSuite suite, boolean json, boolean verbose, boolean quiet) {
        return json ? new NettestJson(context.console(), suite) : new NettestText(context.console(), verbose, quiet);
    }

    private static NettestOutcome withoutStart(TransferException failure) {
        return new NettestOutcome(failure.kind(), failure.getMessage(), null, 0, "");
    }

    /** One run of a checked request. */
    private static final class Testing implements JobRun.Part<NettestJob, NettestOutcome> {
        private final NettestRequest request;
        private final Context context;
        private final NettestDisplay display;

        Testing(NettestRequest request, Context context) {
            this.request = request;
            this.context = context;
            this.display = display(context, request.suite(), request.json(), request.verbose(), request.quiet());
        }

        @Override
        public NettestJob start() {
            Engine engine = context.engine().get();
            return request.viaEngine()
                    ? new EngineTest((ThroughputPlan) request.plan(), display).start(engine, request.network())
                    : engine.nettest(request.plan(), request.network(), display);
        }

        @Override
        public NettestOutcome await(NettestJob job) throws InterruptedException {
            return withCsv(job.await());
        }

        /** A file that was asked for and cannot be written is a failure, unless there is a worse one. */
        private NettestOutcome withCsv(NettestOutcome outcome) {
            if (request.csv() == null || outcome.result() == null) {
                return outcome;
            }
            try {
                NettestCsv.write(request.csv(), SuiteViews.of(outcome.result()).csv());
                return outcome;
            } catch (TransferException unwritable) {
                return outcome.failure() != null
                        ? outcome
                        : new NettestOutcome(
                                unwritable.kind(),
                                unwritable.getMessage(),
                                outcome.result(),
                                outcome.elapsedNanos(),
                                outcome.session());
            }
        }

        @Override
        public void interrupt(NettestJob job, FailureKind why, String message) {
            job.interrupt(why, message);
        }

        @Override
        public NettestOutcome withoutJob(TransferException failure) {
            return withoutStart(failure);
        }

        @Override
        public NettestOutcome abandoned(@Nullable NettestJob job, TransferException failure) {
            return withoutStart(failure);
        }

        @Override
        public void show(NettestOutcome outcome) {
            display.onEnd(outcome);
        }

        @Override
        public int exitCode(NettestOutcome outcome) {
            return outcome.exitCode();
        }

        @Override
        public void trace(Throwable cause, NettestOutcome outcome) {
            FailureKind failure = outcome.failure();
            if (failure != null) {
                new FailureReport(context.console(), false, request.verbose()).printTrace(cause, failure);
            }
        }
    }
}
