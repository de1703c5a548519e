package io.fdt.cli.shard;

import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.command.Help;
import io.fdt.cli.console.Console;
import io.fdt.cli.copy.ShardRequest;
import io.fdt.cli.display.SummaryText;
import io.fdt.cli.network.Network;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.GivenOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Section;
import io.fdt.cli.option.Settings;
import io.fdt.cli.run.PlainRun;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.Location;
import io.fdt.cli.value.UserText;
import io.fdt.core.Fdt;
import io.fdt.core.basic.Figures;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.shard.Job;
import io.fdt.core.shard.JobFinish;
import io.fdt.core.shard.JobFinish.Last;
import io.fdt.core.shard.JobFinish.Missing;
import io.fdt.core.shard.JobFinish.Result;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code shard finish}: checks that a job is complete, and finishes it. */
final class ShardFinishCommand extends Command {
    private static final Section ACTION = new Section("What to do", false);
    private static final String FORM = "fdt shard finish DIR [TARGET]";
    private static final int SHOWN = 20;

    static final Option AGAIN = ACTION.toggle("--again", "make a new job of what is missing, in DIR/again-1 and so on");

    private static final List<Option> OPTIONS =
            List.of(AGAIN, GivenOptions.JSON, GivenOptions.VERBOSE, CommonOptions.HELP);

    ShardFinishCommand() {
        super("shard finish", "check that a job is complete, and write its receipt", "DIR [TARGET]");
    }

    @Override
    protected Help help() {
        return Help.of(OPTIONS)
                .usesHome(true)
                .about("""
                        Checks the files of the job against their digests, and checks that runs copied every entry. If
                        something is missing, it lists it and exits with code 6. If the job is complete, it writes
                        DIR/receipt.json for fdt verify --receipt, with the digest of every file that a run copied, and
                        exits with code 0. Running it twice is safe.

                        Give the same TARGET as the runs if files were copied in ranges, which now get their names, or
                        if source directories deny access to their own user: runs leave these open to each other, and
                        they now get their modes. Files and directories get the metadata that --preserve of the runs
                        named.

                        With --again, what is missing becomes a new job. When its shards have run, fdt shard finish DIR
                        includes what they copied.""")
                .example("shard finish /shared/job fdt://dtn2/in/", "after the last shard")
                .example(
                        "shard finish --again --json /shared/job",
                        "make a job of what is missing, in /shared/job/again-1");
    }

    @Override
    public int run(List<String> args, Context context) {
        return PlainRun.run(
                this, args, context, (given, settings, json) -> finish(given.operands(), settings, json, context));
    }

    private static int finish(List<String> operands, Settings settings, boolean json, Context context) {
        Path directory = ShardCommand.directory(operands, FORM);
        if (operands.size() > 2) {
            throw UserText.refusal("too many arguments; write " + FORM);
        }
        // The target is checked even if it is not needed.
        List<Location> targets = operands.size() == 2 ? ShardRequest.targets(operands.subList(1, 2), null) : List.of();
        JobFinish finish = JobFinish.begin(directory);
        Summary last = targets.isEmpty() ? null : runLast(finish.last(), directory, targets.get(0), context);
        Failure failed = last == null ? null : last.failure();
        Result result = finish.conclude(failed != null);
        Path again = settings.on(AGAIN) && result.missing().entries() > 0 ? finish.again() : null;
        int exitCode = failed != null && result.missing().entries() == 0
                ? failed.exitCode()
                : result.isComplete() ? 0 : FailureKind.INTEGRITY.exitCode();
        if (json) {
            showJson(result, again, exitCode, context.console());
        } else {
            show(result, again, context.console());
        }
        if (last != null && failed != null) {
            context.console().failure(SummaryText.failureLine(failed));
        }
        return exitCode;
    }

    /** Returns null if nothing is left to do. */
    private static @Nullable Summary runLast(@Nullable Last last, Path job, Location target, Context context) {
        HostPort server = target.server();
        if (last == null) {
            return null;
        }
        if (server == null) {
            throw UserText.refusal("finishing a job needs its server; write fdt://HOST[:PORT]/PATH");
        }
        String key = ShardRequest.keyLine(job, context.environment());
        Context admitted = key == null ? context : context.with(ServerAccess.ENVIRONMENT, key);
        Settings defaults =
                Settings.of("client", new GivenArguments(List.of(), List.of(), List.of()), context.environment());
        TransferPlan plan = TransferPlan.of(Direction.PUSH, List.of(), target.path())
                .at(server.host(), server.port())
                .with(CopyValue.DIGEST, last.digest())
                .with(CopyValue.PRESERVE, last.preserve())
                .with(CopyValue.SHARD, last.shardFile());
        TransferObserver warnings = new TransferObserver() {
            @Override
            public void onWarning(String message) {
                context.console().warning(message);
            }
        };
        Fdt fdt = Network.client(defaults).applied(admitted.fdt(), plan.server().host());
        try (TransferJob copy = fdt.copy(plan, warnings)) {
            return end(copy);
        }
    }

    private static Summary end(TransferJob copy) {
        try {
            return copy.await();
        } catch (InterruptedException e) {
            copy.interrupt(Failure.of(Cause.INTERRUPTED, "interrupted"));
            Thread.currentThread().interrupt();
            return SummaryText.abandoned(Cause.INTERRUPTED.failure("interrupted"), copy.progress());
        }
    }

    private static void show(Result result, @Nullable Path again, Console console) {
        Job job = result.job();
        if (result.isComplete()) {
            console.data("complete: " + job.files() + " files, "
                    + Figures.bytes(result.inPlace().bytes()) + "; receipt "
                    + UserText.visible(String.valueOf(result.receipt())));
            if (result.inPlace().unhashedFiles() > 0) {
                console.message("fdt: " + result.inPlace().unhashedFiles()
                        + " files were already in place, and no run hashed them; fdt verify compares them");
            }
            return;
        }
        for (Missing each : result.missing().first().stream().limit(SHOWN).toList()) {
            String reason = each.reason();
            console.message("missing: " + each.path() + (each.offset() < 0 ? "" : " from byte " + each.offset())
                    + " (shard " + each.shard() + "): "
                    + (reason == null ? "not started" : UserText.visible(reason)));
        }
        if (result.missing().entries() > 0) {
            console.data("incomplete: " + result.missing().entries() + " of " + job.entries()
                    + " entries are missing, in " + result.missing().shards().size() + " shards");
        } else if (result.open().files() > 0) {
            console.data("incomplete: " + result.open().files()
                    + " files were copied in ranges and have no final names yet; run fdt shard finish DIR TARGET");
        } else if (result.open().directories() > 0) {
            console.data("incomplete: " + result.open().directories() + " directories do not have their modes yet; run "
                    + FORM);
        }
        if (again != null) {
            console.data("run again: " + shardsOf(again) + " shards in " + UserText.visible(again.toString()));
        }
    }

    private static int shardsOf(Path again) {
        return Job.readFrom(again).shards().size();
    }

    private static void showJson(Result result, @Nullable Path again, int exitCode, Console console) {
        for (Missing each : result.missing().first()) {
            console.data(new JsonObject()
                    .with("shard", each.shard())
                    .with("path", each.path())
                    .withKnown("offset", each.offset())
                    .with("reason", each.reason())
                    .line("missing"));
        }
        Path receipt = result.receipt();
        console.data(new JsonObject()
                .with("outcome", exitCode == 0 ? "ok" : "failed")
                .with("exit_code", exitCode)
                .with("job", result.job().id())
                .with("shards", result.job().shards().size())
                .with("files", result.job().files())
                .with("entries", result.job().entries())
                .with("entries_in_place", result.inPlace().entries())
                .with("entries_missing", result.missing().entries())
                .with("shards_missing", result.missing().shards())
                .with("files_open", result.open().files())
                .with("directories_open", result.open().directories())
                .with("bytes", result.inPlace().bytes())
                .with("files_unhashed", result.inPlace().unhashedFiles())
                .with("digest", result.digest())
                .with("receipt", receipt == null ? null : receipt.toString())
                .with("again", again == null ? null : again.toString())
                .with("shards_again", again == null ? 0 : shardsOf(again))
                .line("summary"));
    }
}
