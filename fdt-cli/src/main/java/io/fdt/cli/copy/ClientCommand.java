package io.fdt.cli.copy;

import io.fdt.cli.command.ArgumentReader;
import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.command.Help;
import io.fdt.cli.console.Console;
import io.fdt.cli.console.TerminalWidth;
import io.fdt.cli.display.Display;
import io.fdt.cli.display.Displays;
import io.fdt.cli.display.DryRunList;
import io.fdt.cli.display.EventLog;
import io.fdt.cli.display.FailureReport;
import io.fdt.cli.display.Hook;
import io.fdt.cli.display.JsonDisplay;
import io.fdt.cli.display.JsonMode;
import io.fdt.cli.display.LogDisplay;
import io.fdt.cli.display.ProgressLine;
import io.fdt.cli.display.ProgressMode;
import io.fdt.cli.display.ProgressTicker;
import io.fdt.cli.display.SummaryText;
import io.fdt.cli.display.TextDisplay;
import io.fdt.cli.monitor.Monitoring;
import io.fdt.cli.option.ClientOptions;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.OtherTools;
import io.fdt.cli.option.Settings;
import io.fdt.cli.run.JobRun;
import io.fdt.cli.run.PlainRun;
import io.fdt.cli.trace.CopyTrace;
import io.fdt.cli.trace.Traces;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.Location;
import io.fdt.core.Fdt;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.control.Delegation;
import io.fdt.core.control.Retry;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** {@code client}: runs one transfer, from the arguments to the exit code. */
public final class ClientCommand extends Command {
    private static final String STOPPING =
            "fdt: stopping; run the same command again to resume (interrupt again to stop at once)";

    /** The next run finds what a slow disk has not finished by then. */
    private static final long PATIENCE_MS = 950;

    public ClientCommand() {
        super(
                "client",
                "copy SRC… to TARGET; both, one or none may be remote",
                "SRC… TARGET | --pairs FILE | --shard DIR/K TARGET");
    }

    @Override
    public List<String> names() {
        return List.of(name(), "copy");
    }

    @Override
    protected Help help() {
        return Help.of(ClientOptions.ALL)
                .common(ClientOptions.COMMON)
                .foreign(OtherTools.OF_COPIES)
                .about("""
                        Copies files and directories to or from a server. A directory is copied into the target
                        directory; with a trailing slash (dir/), only its contents are copied. To resume an interrupted
                        copy, run the same command again. fdt client is the same.

                        Remote: fdt://HOST[:PORT]/PATH, where % has no special meaning, or USER@HOST:PATH or HOST:/PATH,
                        where ssh starts the remote end for this copy. Everything else is a local path, with or without
                        colons (./USER@HOST:PATH is local), and so is HOST:/PATH if a local file has that name. All
                        sources are in one place. If they and the target are local, fdt copies within this host,
                        without a server. As a source, - is standard input and /dev/zero sends zeros. As a target, - is
                        standard output and /dev/null discards.

                        The server expands *, ? and [a-z] in the path of a remote source; put it in quotes.

                        Between two servers, fdt://A/PATH fdt://B/PATH, the data goes directly from A to B, with a
                        one-time key from B. A must allow it (server --third-party NETWORK), and this host needs a key
                        for each server (key import). If this command ends, the copy ends too; run it again to
                        resume. With --detach, the copy goes on without it, and its server keeps the receipt, if there
                        is to be one; see fdt jobs.""")
                .example("copy results/ fdt://dtn2/incoming/run7", "push the contents of results")
                .example(
                        "copy fdt://dtn2/data/run7 fdt://dtn2/data/run8 .", "pull two directories into the current one")
                .example("copy 'fdt://dtn2/data/*.bin' .", "pull the files that match on the server")
                .example(
                        "copy -P 16 --rate-limit 25Gbit big.dat fdt://[2001:db8::7]:4000/in/",
                        "16 lanes, at most 25 Gbit/s")
                .example("copy results/ ann@dtn2:run7/", "the same over ssh; the remote host needs only ssh and fdt")
                .example("copy --tunnel ann@dtn2:/data/run7 .", "pull it back, with only the ssh port open")
                .example("copy --size 100G /dev/zero fdt://dtn2/dev/null", "memory to memory, no disks")
                .example(
                        "copy --json --files-from list.txt src fdt://dtn2/dst/",
                        "copy only the listed paths; JSON on stdout")
                .example(
                        "copy fdt://dtn1/data/run7 fdt://dtn2/data/",
                        "copy directly from dtn1 to dtn2 and show progress here")
                .example(
                        "copy --detach --retry 12h fdt://dtn1/data/run7 fdt://dtn2/data/",
                        "the same, but this host need not stay; prints the id of the job")
                .example(
                        "copy --shard /shared/job/7 fdt://dtn2,dtn3/in/",
                        "copy shard 7 of a job; may be repeated on any node")
                .example(
                        "copy --retry 12h -q /data/run7/ fdt://dtn2/run7",
                        "keep trying for twelve hours while the network or the server is down")
                .example(
                        "copy --watch --remove-source /daq/out/ fdt://dtn2/raw",
                        "copy files as they become complete, and remove them here; until Ctrl-C")
                .example("copy -- -odd-name fdt://dtn2/in/", "a name that starts with a dash");
    }

    @Override
    public int run(List<String> args, Context context) {
        ClientRequest request;
        Hook hook;
        SciTag tag;
        CopyTrace trace;
        boolean verbose = false;
        try {
            GivenArguments given = ArgumentReader.read(this, args);
            if (given.asksForText()) {
                return PlainRun.text(this, given, context);
            }
            verbose = given.has(CommonOptions.VERBOSE);
            Settings settings = Settings.of(name(), given, context.environment());
            PlainRun.note(settings, context);
            request = ClientRequest.of(given, settings, context);
            tag = settings.find(ClientOptions.SCITAG, SciTag::parse);
            hook = Hook.of(settings.find(ClientOptions.ON_COMPLETE, text -> text), context.console()::warning);
            trace = request.watched() == null ? Traces.ofCopy(context.environment(), context.console()::warning) : null;
        } catch (TransferException refused) {
            Summary summary = SummaryText.withoutSession(refused);
            displayOfRefusal(args, context).onEnd(summary);
            new FailureReport(context.console(), false, verbose).printTrace(refused, refused.kind());
            return summary.exitCode();
        }
        if (request.watched() != null) {
            return WatchRun.run(context, request, hook, tag);
        }
        String key = request.remote().jobKey();
        Context admitted = key == null ? context : context.with(ServerAccess.ENVIRONMENT, key);
        int exitCode = JobRun.run(
                admitted,
                new Copying(request, hook, tag, trace, admitted),
                request.output().verbose(),
                STOPPING,
                PATIENCE_MS);
        return request.plan().dryRun() ? PlainRun.exitCode(exitCode, context.console()) : exitCode;
    }

    private Display displayOfRefusal(List<String> args, Context context) {
        return displays(
                context,
                JsonMode.asked(name(), args, context.environment()),
                new TextDisplay.Manner(ProgressMode.NONE, false, true, false, false, false),
                null);
    }

    static Displays displays(
            Context context, JsonMode json, TextDisplay.Manner manner, @Nullable EventLog log, Display... more) {
        List<Display> displays = new ArrayList<>();
        if (manner.listing()) {
            displays.add(new DryRunList(context.console()));
        }
        if (log == null || !log.form().json()) {
            displays.add(new TextDisplay(
                    context.console(), manner, new TerminalWidth(context.environment(), context.signals())));
        }
        if (log != null && log.notes()) {
            displays.add(new LogDisplay(log));
        }
        if (json != JsonMode.OFF) {
            displays.add(new JsonDisplay(context.console(), json));
        }
        displays.addAll(List.of(more));
        return new Displays(displays);
    }

    private static final class Copying implements JobRun.CommandJob<TransferJob, Summary> {
        private final ClientRequest request;
        private final @Nullable Hook hook;
        private final @Nullable SciTag tag;
        private final @Nullable CopyTrace trace;
        private volatile @Nullable Fireflies fireflies;
        private final Context context;
        private final Displays display;
        private final EventLog log;
        private final Retry retry;
        private final long startNanos;
        private int attempts;
        private volatile @Nullable ProgressTicker ticker;
        private volatile Monitoring monitoring = Monitoring.NONE;
        private final RemoteEnd remoteEnd;
        /** Whether a file failed in this attempt for another reason than that the source changed or disappeared. */
        private volatile boolean failedForGood;

        /** Other reactions to the events of the session. */
        private final class Watching implements Display {
            @Override
            public void onActivity(SessionActivity session) {
                monitoring.observe(session);
                Fireflies reporting = fireflies;
                if (reporting != null) {
                    reporting.watch(session);
                }
            }

            @Override
            public void onStart(String session, int lanes, String transport, String peer) {
                if (lanes < request.askedLanes()) {
                    display.onWarning("the server granted " + lanes + " of the " + request.askedLanes()
                            + " lanes of -P; its --max-lanes, memory or descriptors allow no more");
                }
            }

            @Override
            public void onFile(String path, FileOutcome outcome, long sizeBytes, @Nullable Failure why) {
                if (outcome == FileOutcome.FAILED && (why == null || !why.is(Cause.CHANGED))) {
                    failedForGood = true;
                }
            }
        }

        Copying(
                ClientRequest request,
                @Nullable Hook hook,
                @Nullable SciTag tag,
                @Nullable CopyTrace trace,
                Context context) {
            this.request = request;
            this.hook = hook;
            this.tag = tag;
            this.context = context;
            this.remoteEnd = new RemoteEnd(request.remote().ssh());
            ClientRequest.Output output = request.output();
            this.log = EventLog.begin(context, output.log());
            TextDisplay.Manner manner = output.manner(request.plan().dryRun());
            this.trace = trace;
            Watching watching = new Watching();
            this.display = trace == null
                    ? displays(context, output.json(), manner, log, watching)
                    : displays(context, output.json(), manner, log, watching, trace);
            this.retry = new Retry(
                    request.retryNanos(), () -> ThreadLocalRandom.current().nextDouble());
            this.startNanos = context.clock().nanoTime();
        }

        @Override
        public TransferJob start() {
            if (attempts++ == 0) {
                monitoring = Monitoring.start(
                        request.output().monitor(), "client", request.output().isJson(), context);
                fireflies = Fireflies.start(tag);
            }
            failedForGood = false;
            Fdt fdt = remoteEnd.start(context);
            TransferPlan untraced = remoteEnd.planned(request.plan());
            TransferPlan plan = trace == null ? untraced : untraced.with(CopyValue.TRACE, trace.begin());
            HostPort from = request.remote().from();
            if (from != null) {
                Fdt applied = request.network().applied(fdt);
                return request.remote().detached()
                        ? applied.detach(
                                from.host(),
                                from.port(),
                                plan,
                                TimeUnit.NANOSECONDS.toMillis(request.retryNanos()),
                                display)
                        : applied.copyBetween(from.host(), from.port(), plan, display);
            }
            return request.network().applied(fdt, plan.server().host()).copy(plan, display);
        }

        @Override
        public long pauseNanos(Summary end) {
            // The contents of a shard were listed when its job was planned, and do not change.
            boolean changing = !failedForGood && request.plan().find(CopyValue.SHARD) == null;
            long pauseNanos = retry.pauseNanos(end, changing, context.clock().nanoTime() - startNanos);
            if (pauseNanos >= 0) {
                display.onRetry(attempts, end, pauseNanos);
            }
            return pauseNanos;
        }

        private void showDetached(HostPort from, String job) {
            Console console = context.console();
            if (request.output().isJson()) {
                console.data(new JsonObject()
                        .with("id", job)
                        .with("server", Location.SCHEME + from)
                        .line("job"));
                console.data(JsonDisplay.summary(Summary.of(null, 0, 0, 0, 0, 0, job)));
            } else {
                console.data(job);
            }
            if (!request.output().quiet()) {
                RawPath receipt = request.plan().find(CopyValue.RECEIPT);
                console.message("fdt: the copy goes on as job " + job + "; for its result"
                        + (receipt == null ? "" : " and its receipt") + ": fdt jobs " + Location.SCHEME + from
                        + " wait " + job + (receipt == null ? "" : " --receipt " + receipt.display()));
                if (request.retryNanos() > Delegation.MAX_ABSENT_NANOS) {
                    console.message("fdt: --retry ends "
                            + TimeUnit.NANOSECONDS.toMinutes(Delegation.MAX_ABSENT_NANOS)
                            + " minutes after the target's server has given up the session; run the copy again then");
                }
            }
        }

        @Override
        public Runnable watch(TransferJob job) {
            ProgressTicker started = ProgressTicker.start(job::progress, display, context.clock());
            ticker = started;
            return started::stop;
        }

        @Override
        public void status(@Nullable TransferJob job) {
            log.tellStatus(
                    ticker, "no session yet", view -> ProgressLine.plain(view).strip());
        }

        @Override
        public void close() {
            Fireflies reporting = fireflies;
            if (reporting != null) {
                reporting.close();
            }
            monitoring.close();
            remoteEnd.close();
            if (trace != null) {
                trace.close();
            }
        }

        @Override
        public Summary withoutJob(TransferException failure) {
            return SummaryText.withoutSession(failure);
        }

        @Override
        public Summary abandoned(@Nullable TransferJob job, TransferException failure) {
            return SummaryText.abandoned(failure, job == null ? null : job.progress());
        }

        @Override
        public void show(Summary summary) {
            monitoring.leaveScreen();
            HostPort from = request.remote().from();
            if (from != null && request.remote().detached() && summary.failure() == null) {
                showDetached(from, summary.run().session());
                return;
            }
            display.onEnd(summary);
            if (!request.plan().dryRun()) {
                monitoring.onCopy(summary, request.sourceHost(), request.destinationHost());
            }
            if (hook != null) {
                hook.run(JsonDisplay.summary(summary));
            }
            String hint = summary.kind() == FailureKind.CANNOT_CONNECT ? remoteEnd.hint() : null;
            if (hint != null) {
                context.console().message(hint);
            }
        }
    }
}
