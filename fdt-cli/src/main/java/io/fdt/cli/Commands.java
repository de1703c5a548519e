package io.fdt.cli;

import io.fdt.cli.batch.BatchCommand;
import io.fdt.cli.command.Command;
import io.fdt.cli.copy.ClientCommand;
import io.fdt.cli.copy.JobsCommand;
import io.fdt.cli.key.KeyCommand;
import io.fdt.cli.list.CleanCommand;
import io.fdt.cli.list.FileCommand;
import io.fdt.cli.list.ListCommand;
import io.fdt.cli.monitor.MonitorCommand;
import io.fdt.cli.nettest.NettestCommand;
import io.fdt.cli.option.OtherTools;
import io.fdt.cli.server.ServerCommand;
import io.fdt.cli.shard.ShardCommand;
import io.fdt.cli.tune.TuneCommand;
import io.fdt.cli.value.Nearest;
import io.fdt.cli.value.UserText;
import io.fdt.cli.verify.VerifyCommand;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The table of commands. The options of a command are loaded only when they are needed. */
final class Commands {
    static final List<Command> ALL = Stream.of(
                    List.of(
                            new ServerCommand(),
                            new ClientCommand(),
                            new NettestCommand(),
                            new MonitorCommand(),
                            new VerifyCommand(),
                            new ListCommand()),
                    FileCommand.all(),
                    List.of(
                            new BatchCommand(),
                            new JobsCommand(),
                            new CleanCommand(),
                            new ShardCommand(),
                            new TuneCommand(),
                            new KeyCommand(),
                            new CompletionCommand()))
            .flatMap(List::stream)
            .toList();

    private Commands() {}

    static @Nullable Command named(String name) {
        for (Command command : ALL) {
            if (command.name().equals(name)) {
                return command;
            }
        }
        return null;
    }

    /** Returns the command with this name; throws USAGE with a list of the known names. */
    static Command known(String name) {
        Command command = named(name);
        String meant = command == null ? OtherTools.table(OtherTools.COMMANDS).get(name) : null;
        if (meant != null) {
            throw UserText.refusal("unknown command '" + name + "'; run " + meant);
        }
        if (command == null) {
            throw Nearest.unknown("command", name, names());
        }
        return command;
    }

    /** Whether users of other tools try this word as a command. */
    static boolean isOfOtherTools(String name) {
        return OtherTools.table(OtherTools.COMMANDS).containsKey(name);
    }

    static List<String> names() {
        return ALL.stream().map(Command::name).toList();
    }
}
