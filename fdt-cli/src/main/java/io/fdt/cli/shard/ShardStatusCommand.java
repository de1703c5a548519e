package io.fdt.cli.shard;

import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.command.Help;
import io.fdt.cli.console.Console;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.run.PlainRun;
import io.fdt.cli.value.UserText;
import io.fdt.core.basic.Figures;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Word;
import io.fdt.core.shard.JobStatus;
import io.fdt.core.shard.JobStatus.ShardStatus;
import io.fdt.core.shard.JobStatus.State;
import java.nio.file.Path;
import java.util.List;

/** {@code shard status}: shows the progress of the shards of a job. */
final class ShardStatusCommand extends Command {
    private static final String FORM = "fdt shard status DIR";
    private static final List<Option> OPTIONS = List.of(GivenOptions.JSON, GivenOptions.VERBOSE, CommonOptions.HELP);

    ShardStatusCommand() {
        super("shard status", "show the progress of a job's shards", "DIR");
    }

    @Override
    protected Help help() {
        return Help.of(OPTIONS)
                .about("""
                        Prints a line for every shard, from what its runs wrote to the job's directory: waiting (not
                        started), running (written to within a minute), stopped (its runs ended or are silent), failed
                        (some entries could not be copied), done. It contacts no server and does not affect runs.""")
                .example("shard status /shared/job", "a table with a total")
                .example("shard status --json /shared/job", "one object per shard, then one for the job");
    }

    @Override
    public int run(List<String> args, Context context) {
        return PlainRun.run(this, args, context, (given, settings, json) -> {
            show(given.operands(), json, context.console());
            return 0;
        });
    }

    private static void show(List<String> operands, boolean json, Console console) {
        Path directory = ShardCommand.directory(operands, FORM);
        if (operands.size() > 1) {
            throw UserText.refusal("too many arguments; write " + FORM);
        }
        JobStatus status = JobStatus.read(directory, System.currentTimeMillis());
        if (json) {
            showJson(status, console);
        } else {
            showTable(status, console);
        }
    }

    private static void showTable(JobStatus status, Console console) {
        StringBuilder table = new StringBuilder();
        line(table, "shard", "state", "entries", "failed", "bytes", "done", "runs");
        for (ShardStatus each : status.shards()) {
            line(
                    table,
                    Figures.text("%04d", each.shard().number()),
                    Word.of(each.state()),
                    each.entries().inPlace() + "/" + each.shard().entries(),
                    String.valueOf(each.entries().failed()),
                    Figures.bytes(each.shard().bytes()),
                    percent(each.bytes().done(), each.shard().bytes(), each.state() == State.DONE),
                    String.valueOf(each.runs()));
        }
        long done = status.shardsIn(State.DONE);
        table.append(Figures.text(
                "%d of %d shards done, %d running, %d failed; %s of %s, %s",
                done,
                status.shards().size(),
                status.shardsIn(State.RUNNING),
                status.shardsIn(State.FAILED),
                Figures.bytes(status.bytesDone()),
                Figures.bytes(status.job().bytes()),
                percent(
                        status.bytesDone(),
                        status.job().bytes(),
                        done == status.shards().size())));
        console.data(table.toString());
    }

    private static void line(StringBuilder table, String... cells) {
        table.append(Figures.text("%5s  %-8s %17s %8s %12s %7s %5s%n", (Object[]) cells));
    }

    private static String percent(long part, long whole, boolean all) {
        return all ? "100.0 %" : Figures.text("%.1f %%", whole == 0 ? 0 : 100.0 * part / whole);
    }

    private static void showJson(JobStatus status, Console console) {
        for (ShardStatus each : status.shards()) {
            console.data(new JsonObject()
                    .with("shard", each.shard().number())
                    .with("state", Word.of(each.state()))
                    .with("entries", each.shard().entries())
                    .with("entries_in_place", each.entries().inPlace())
                    .with("entries_failed", each.entries().failed())
                    .with("bytes", each.shard().bytes())
                    .with("bytes_done", each.bytes().done())
                    .with("bytes_sent", each.bytes().moved())
                    .with("runs", each.runs())
                    .withKnown("exit_code", each.exitCode())
                    .line("shard"));
        }
        JsonObject summary = new JsonObject()
                .with("outcome", "ok")
                .with("exit_code", 0)
                .with("job", status.job().id())
                .with("shards", status.shards().size());
        for (State state : State.values()) {
            summary.with("shards_" + Word.of(state), status.shardsIn(state));
        }
        console.data(summary.with("entries", status.job().entries())
                .with("entries_failed", status.entriesFailed())
                .with("bytes", status.job().bytes())
                .with("bytes_done", status.bytesDone())
                .with("bytes_sent", status.bytesMoved())
                .line("summary"));
    }
}
