package io.fdt.cli.copy;

import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.command.Help;
import io.fdt.cli.display.Displays;
import io.fdt.cli.display.FailureReport;
import io.fdt.cli.display.JsonMode;
import io.fdt.cli.display.ProgressMode;
import io.fdt.cli.display.ProgressTicker;
import io.fdt.cli.display.SummaryText;
import io.fdt.cli.display.TextDisplay;
import io.fdt.cli.network.Network;
import io.fdt.cli.option.ClientOptions;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.JobsOptions;
import io.fdt.cli.option.Settings;
import io.fdt.cli.run.JobRun;
import io.fdt.cli.run.PlainRun;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.Location;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.JobsPlan;
import io.fdt.core.plan.RawPath;
import io.fdt.core.stats.JobReport;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import java.time.Instant;
import java.util.List;

/** {@code jobs}: the copies that a server makes for this key without a client. */
public final class JobsCommand extends Command {
    private static final String FORM = "fdt jobs [OPTION…] fdt://HOST[:PORT] [wait ID | cancel ID]";
    private static final String STOPPING = "fdt: stopping; the job goes on (interrupt again to stop at once)";
    private static final long PATIENCE_MS = 900;

    public JobsCommand() {
        super("jobs", "list, wait for or cancel copies that run detached", "fdt://HOST[:PORT] [wait ID | cancel ID]");
    }

    @Override
    protected Help help() {
        return Help.of(JobsOptions.ALL)
                .takesPaths(false)
                .about("""
                        Lists the copies that the server HOST makes to other servers for this key, started with
                        fdt client --detach fdt://HOST/PATH fdt://B/PATH: id, state, time, data, mean rate, source and
                        target. wait shows a copy until it ends, as the client would have done, and has the exit code
                        of the copy. cancel stops it, so that the same copy can be resumed later. With wait, --receipt
                        writes the receipt of a copy that was started with --detach --receipt.

                        The server keeps the result for a day. Jobs are lost when it ends, and a retried copy ends
                        when the target's server was restarted, or an hour after it has given up a session that
                        lost its network (--timeout): then run the copy again, which resumes it. Only the key that
                        started a copy sees it, and each running copy is one of the sessions of that key. A copy ends
                        when its key is revoked, at either server.

                        With --json, each job is an object of type job with id, from, to, state (running, ended),
                        outcome, exit_code, message, files, bytes, bytes_total, bits_per_second, started and ended.""")
                .example("jobs fdt://dtn1", "the jobs of this key at dtn1")
                .example("jobs fdt://dtn1 wait 0123456789abcdef", "until the copy has ended, with its exit code")
                .example("jobs fdt://dtn1 cancel 0123456789abcdef", "stop a copy");
    }

    @Override
    public int run(List<String> args, Context context) {
        return PlainRun.run(this, args, context, (given, settings, json) -> {
            Jobs jobs = new Jobs(plan(given, settings), settings, json, context);
            return JobRun.run(context, jobs, settings.on(CommonOptions.VERBOSE), STOPPING, PATIENCE_MS);
        });
    }

    private static JobsPlan plan(GivenArguments given, Settings settings) {
        List<String> operands = given.operands();
        Location at = operands.isEmpty() ? null : Location.ofOperand(operands.get(0));
        HostPort server = at == null ? null : at.server();
        if (at == null || server == null) {
            throw UserText.refusal((at == null ? "no server" : UserText.quoted(operands.get(0)) + " is not a server")
                    + "; write " + FORM);
        }
        if (!at.path().isEmpty() && !at.path().text().equals("/")) {
            throw UserText.refusal(
                    "jobs belong to a server, not to a path; write fdt jobs " + Location.SCHEME + server);
        }
        JobsPlan.Action action = switch (operands.size() > 1 ? operands.get(1) : "list") {
            case "list" -> JobsPlan.Action.LIST;
            case "wait" -> JobsPlan.Action.WAIT;
            case "cancel" -> JobsPlan.Action.CANCEL;
            default ->
                throw UserText.refusal(
                        UserText.quoted(operands.get(1)) + " is not list, wait or cancel; write " + FORM);
        };
        boolean list = action == JobsPlan.Action.LIST;
        RawPath receipt = settings.find(ClientOptions.RECEIPT, Words::rawFile);
        if (receipt != null && action != JobsPlan.Action.WAIT) {
            throw UserText.refusal("--receipt applies only to wait, which returns the receipt of a copy; write fdt jobs"
                    + " fdt://HOST wait ID --receipt FILE");
        }
        if (operands.size() > 3 || (operands.size() == 3) == list) {
            throw UserText.refusal((list ? "a list has no id" : "one id is needed") + "; write " + FORM);
        }
        return new JobsPlan(
                server.host(),
                server.port(),
                action,
                list ? "" : operands.get(2),
                Network.timeoutMs(settings),
                receipt);
    }

    private static final class Jobs implements JobRun.CommandJob<TransferJob, Summary> {
        private final JobsPlan plan;
        private final Network network;
        private final boolean json;
        private final Context context;
        private final Displays display;
        private final boolean quiet;
        private boolean empty = true;

        Jobs(JobsPlan plan, Settings settings, boolean json, Context context) {
            this.plan = plan;
            this.network = Network.links(settings);
            this.json = json;
            this.context = context;
            this.quiet = settings.on(CommonOptions.QUIET);
            ProgressMode progress = settings.choice(ClientOptions.PROGRESS, ProgressMode.class)
                    .resolve(context.console().isTerminal(), quiet, json, context.environment());
            TextDisplay.Manner manner = new TextDisplay.Manner(
                    progress, settings.on(CommonOptions.VERBOSE), quiet, !json && !quiet, !json, false);
            this.display = ClientCommand.displays(context, json ? JsonMode.EVENTS : JsonMode.OFF, manner, null);
        }

        private boolean follows() {
            return plan.action() == JobsPlan.Action.WAIT;
        }

        @Override
        public TransferJob start() {
            return network.applied(context.fdt()).jobs(plan, this::print, display);
        }

        private void print(JobReport job) {
            empty = false;
            if (follows()) {
                return;
            }
            if (json) {
                context.console().data(JobsView.json(job, Instant.now()));
            } else {
                context.console().data(JobsView.line(job));
            }
        }

        @Override
        public Runnable watch(TransferJob job) {
            return follows() ? ProgressTicker.start(job::progress, display, context.clock())::stop : () -> {};
        }

        @Override
        public Summary withoutJob(TransferException failure) {
            return SummaryText.withoutSession(failure);
        }

        @Override
        public void show(Summary summary) {
            Failure failure = summary.failure();
            if (follows()) {
                display.onEnd(summary);
            } else if (failure == null && empty && !json && !quiet) {
                context.console().message("fdt: no jobs of this key at " + plan.host());
            } else if (failure != null) {
                FailureReport.show(context.console(), json, failure);
            }
        }
    }
}
