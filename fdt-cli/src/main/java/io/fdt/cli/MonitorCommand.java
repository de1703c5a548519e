package io.fdt.cli;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** {@code monitor}: this host, live, without any transfer. */
final class MonitorCommand implements Command {
    private static final long PATIENCE_MS = 5_000;

    static final Option MONITOR = Option.value(
                    "--monitor",
                    "HOST:PORT",
                    "127.0.0.1:27322",
                    "serve the live page and /metrics here; port 0 picks a free one")
            .in(MonitorOptions.SECTION);
    static final Option JSON =
            Option.toggle("--json", false, "say where it is as JSON, on stdout").in(CommonOptions.OUTPUT);

    static final List<Option> OPTIONS = List.of(
            MONITOR, MonitorOptions.TOKEN_FILE, MonitorOptions.PUSH, JSON, CommonOptions.VERBOSE, CommonOptions.HELP);

    @Override
    public String name() {
        return "monitor";
    }

    @Override
    public String summary() {
        return "this host, live: cores, queues, NICs";
    }

    @Override
    public String operands() {
        return "";
    }

    @Override
    public List<String> about() {
        return List.of(
                "Samples cores, queues and NICs of this host once a second, and serves them as a page for people and as"
                        + " /metrics for Prometheus until it is told to stop. Transfers and network tests show theirs"
                        + " with --monitor of their own. See docs/monitoring.md.");
    }

    @Override
    public List<Option> options() {
        return OPTIONS;
    }

    @Override
    public List<Example> examples() {
        return List.of(
                new Example("monitor", "look at http://127.0.0.1:27322/"),
                new Example(
                        "monitor --monitor 0.0.0.0:27322 --monitor-token-file /etc/fdt/token",
                        "for others, too, who know the token"));
    }

    @Override
    public int run(List<String> args, Context context) {
        boolean json = JsonMode.asked(args, context.environment()) != JsonMode.OFF;
        boolean verbose = false;
        try {
            GivenArguments given = ArgumentReader.read(this, args);
            if (given.has(CommonOptions.HELP)) {
                context.console().data(HelpText.of(this, context.environment()));
                return 0;
            }
            Settings settings = Settings.of(this, given, context.environment());
            verbose = settings.on(CommonOptions.VERBOSE);
            json = settings.on(JSON);
            return watch(MonitorRequest.of(settings, MONITOR, context.environment()), json, context);
        } catch (TransferException refused) {
            return new FailureReport(context.console(), json, verbose).print(refused);
        }
    }

    private static int watch(MonitorRequest request, boolean json, Context context) {
        CountDownLatch told = new CountDownLatch(1);
        Interruption interruption = new Interruption(context.console(), context.halt(), new Policy());
        interruption.listen(context.signals());
        Monitoring monitoring = Monitoring.start(request, "monitor", json, context);
        try {
            interruption.attach(why -> told.countDown());
            await(told);
        } finally {
            monitoring.close();
        }
        interruption.ended();
        FailureKind why = interruption.received();
        return why == null ? 0 : exitCode(why);
    }

    /** An interrupt was meant for the time before there was anything to stop, so it says the same. */
    private static void await(CountDownLatch told) {
        try {
            told.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** To be told to end is what a monitor expects, so that is no failure. */
    private static int exitCode(FailureKind why) {
        return why == FailureKind.TERMINATED ? 0 : why.exitCode();
    }

    private static final class Policy implements Interruption.Policy {
        @Override
        public String announcement() {
            return "fdt: monitor stopping";
        }

        @Override
        public long patienceMs() {
            return PATIENCE_MS;
        }

        @Override
        public int exitCode(FailureKind why) {
            return MonitorCommand.exitCode(why);
        }

        @Override
        public void lastWords(FailureKind why) {
            // Nothing is lost that a monitor could tell of.
        }
    }
}
