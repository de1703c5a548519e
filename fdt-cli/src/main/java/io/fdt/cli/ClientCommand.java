package io.fdt.cli;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** {@code client}: one transfer, from the arguments to the exit code. */
final class ClientCommand implements Command {
    private static final long PATIENCE_MS = 950;

    @Override
    public String name() {
        return "client";
    }

    @Override
    public String summary() {
        return "copy SRC… to TARGET; either side may be remote";
    }

    @Override
    public String operands() {
        return "SRC… TARGET";
    }

    @Override
    public List<String> about() {
        return List.of(
                "Copies files and directories to or from a server. A directory is copied as a directory into the target"
                        + " directory; with a trailing slash (dir/) its contents are. When a copy was interrupted, the same"
                        + " command run again goes on where it stopped.",
                "Remote: fdt://HOST[:PORT]/PATH, the path taken as it is (no %-decoding). Everything else is a local path,"
                        + " colons or not. All sources stand on one side, the target on the other. As source - is standard"
                        + " input and /dev/zero sends zeros; as target - is standard output and /dev/null discards.");
    }

    @Override
    public List<Option> options() {
        return ClientOptions.ALL;
    }

    @Override
    public List<Example> examples() {
        return List.of(
                new Example("client results/ fdt://dtn2/incoming/run7", "push what is in results"),
                new Example("client fdt://dtn2/data/run7 fdt://dtn2/data/run8 .", "pull two directories to here"),
                new Example(
                        "client -P 16 --rate-limit 25Gbit big.dat fdt://[2001:db8::7]:4000/in/",
                        "16 lanes, at most 25 Gbit/s"),
                new Example("client --size 100G /dev/zero fdt://dtn2/dev/null", "memory to memory, no disks"),
                new Example(
                        "client --json --files-from list.txt src fdt://dtn2/dst/",
                        "only what is listed; JSON on stdout"),
                new Example("client -- -odd-name fdt://dtn2/in/", "a name that starts with a dash"));
    }

    @Override
    public int run(List<String> args, Context context) {
        ClientRequest request;
        boolean verbose = false;
        try {
            GivenArguments given = ArgumentReader.read(this, args);
            if (given.has(CommonOptions.HELP)) {
                context.console().data(HelpText.of(this, context.environment()));
                return 0;
            }
            verbose = given.has(CommonOptions.VERBOSE);
            request = ClientRequest.of(given, Settings.of(this, given, context.environment()), context);
        } catch (TransferException refused) {
            return end(displayOfRefusal(args, context), SummaryText.withoutSession(refused), refused, verbose, context);
        }
        return new Run(request, context).run();
    }

    private static Display displayOfRefusal(List<String> args, Context context) {
        return displays(
                context,
                JsonMode.asked(args, context.environment()),
                new TextDisplay.Manner(ProgressMode.NONE, false, true, false, false));
    }

    private static Displays displays(Context context, JsonMode json, TextDisplay.Manner manner) {
        List<Display> displays = new ArrayList<>();
        displays.add(new TextDisplay(context.console(), manner, width(context, manner)));
        if (json != JsonMode.OFF) {
            displays.add(new JsonDisplay(context.console(), json));
        }
        return new Displays(displays);
    }

    private static IntSupplier width(Context context, TextDisplay.Manner manner) {
        TerminalWidth width = new TerminalWidth(context.environment());
        if (manner.progress() == ProgressMode.BAR) {
            context.signals().onSignal("WINCH", width::onChange);
        }
        return width;
    }

    private static int end(
            Display display, Summary summary, @Nullable Throwable cause, boolean verbose, Context context) {
        display.onEnd(summary);
        FailureKind failure = summary.failure();
        if (cause != null && failure != null) {
            new FailureReport(context.console(), false, verbose).printTrace(cause, failure);
        }
        return summary.exitCode();
    }

    /** One run of a checked request. */
    private static final class Run implements Interruption.Policy {
        private final ClientRequest request;
        private final Context context;
        private final Displays display;
        private final AtomicReference<@Nullable TransferJob> running = new AtomicReference<>();

        Run(ClientRequest request, Context context) {
            this.request = request;
            this.context = context;
            boolean json = request.json() != JsonMode.OFF;
            TextDisplay.Manner manner = new TextDisplay.Manner(
                    request.progress(),
                    request.verbose(),
                    request.quiet(),
                    !json && !request.quiet(),
                    !json && request.plan().dryRun());
            this.display = displays(context, request.json(), manner);
        }

        int run() {
            Interruption interruption = new Interruption(context.console(), context.halt(), this);
            interruption.listen(context.signals());
            Summary summary;
            Throwable cause = null;
            try {
                TransferJob job = context.engine().get().copy(request.plan(), request.network(), display);
                running.set(job);
                onStatusSignal(job);
                interruption.attach(why -> job.interrupt(why, message(why)));
                ProgressTicker ticker = ProgressTicker.start(job::progress, display, context.clock());
                try {
                    summary = await(job, interruption);
                } finally {
                    ticker.stop();
                }
            } catch (RuntimeException | Error e) {
                FailureKind why = interruption.received();
                TransferException failure =
                        why == null ? TransferException.of(e) : new TransferException(why, message(why), e);
                summary = SummaryText.withoutSession(failure);
                cause = why == null ? e : null;
            }
            interruption.ended();
            return end(display, summary, cause, request.verbose(), context);
        }

        /** An interrupt that was meant for the time before the job, and came late, is no reason to leave it. */
        private static Summary await(TransferJob job, Interruption interruption) {
            while (true) {
                try {
                    return job.await();
                } catch (InterruptedException e) {
                    FailureKind why = interruption.received();
                    FailureKind kind = why == null ? FailureKind.INTERRUPTED : why;
                    job.interrupt(kind, message(kind));
                }
            }
        }

        private void onStatusSignal(TransferJob job) {
            context.signals().onSignal("USR1", () -> {
                Progress progress = job.progress();
                double rate = progress.elapsedNanos() <= 0 ? 0 : progress.bytesMoved() * 8e9 / progress.elapsedNanos();
                context.console()
                        .message("fdt: "
                                + ProgressLine.plain(ProgressView.of(progress, rate))
                                        .strip());
            });
        }

        private static String message(FailureKind why) {
            return why == FailureKind.TERMINATED ? "stopped by a signal" : "stopped by Ctrl-C";
        }

        @Override
        public String announcement() {
            return "fdt: stopping; run the same command again to resume (once more ends at once)";
        }

        /** What a slow disk has not finished by then is found by the next run. */
        @Override
        public long patienceMs() {
            return PATIENCE_MS;
        }

        @Override
        public int exitCode(FailureKind why) {
            return why.exitCode();
        }

        @Override
        public void lastWords(FailureKind why) {
            TransferJob job = running.get();
            display.onEnd(SummaryText.abandoned(why, message(why), job == null ? null : job.progress()));
        }
    }
}
