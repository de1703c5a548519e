package io.fdt.cli.shard;

import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.command.Help;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.run.PlainRun;
import io.fdt.cli.value.Location;
import io.fdt.cli.value.Nearest;
import io.fdt.cli.value.UserText;
import java.nio.file.Path;
import java.util.List;

/** {@code shard}: plans, follows and finishes a copy by many nodes; {@code client} runs the shards. */
public final class ShardCommand extends Command {
    private static final List<Option> OPTIONS = List.of(GivenOptions.VERBOSE, CommonOptions.HELP);

    private final List<Command> parts =
            List.of(new ShardPlanCommand(), new ShardStatusCommand(), new ShardFinishCommand());

    public ShardCommand() {
        super(
                "shard",
                "split a copy into shards for many nodes, follow and finish it",
                "plan SRC… | status DIR | finish DIR [TARGET]");
    }

    @Override
    protected Help help() {
        return Help.of(OPTIONS)
                .words(parts.stream().map(Command::lastWord).toList())
                .takesPaths(true)
                .usesHome(true)
                .about("""
                        For copies that are too slow on one node. plan walks the sources once and splits them into
                        shards of equal weight, in a directory that all nodes share. A scheduler such as Slurm or
                        Kubernetes then runs fdt client --shard DIR/K TARGET for every K, on any node that can read the
                        sources, and repeats it if it fails: a run copies only what is missing, and two runs at once do
                        no harm. finish checks that nothing is missing and writes one receipt.

                        fdt itself starts nothing on other nodes.""")
                .example("shard status /shared/job", "show the progress of all shards")
                .example("shard finish /shared/job fdt://dtn2/in/", "check everything and write the receipt");
    }

    @Override
    public List<Command> subcommands() {
        return parts;
    }

    @Override
    public int run(List<String> args, Context context) {
        if (!args.isEmpty()) {
            for (Command part : parts) {
                if (part.lastWord().equals(args.get(0))) {
                    return part.run(args.subList(1, args.size()), context);
                }
            }
        }
        return PlainRun.run(this, args, context, (given, settings, json) -> {
            if (given.operands().isEmpty()) {
                throw UserText.refusal("no action; one of " + String.join(", ", operandWords()));
            }
            throw Nearest.unknown("action", given.operands().get(0), operandWords());
        });
    }

    static Path directory(List<String> operands, String form) {
        if (operands.isEmpty()) {
            throw UserText.refusal("give the directory of a job: " + form);
        }
        return Location.local(operands.get(0));
    }
}
