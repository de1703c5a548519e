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
import io.fdt.cli.server.ServerCommand;
import io.fdt.cli.shard.ShardCommand;
import io.fdt.cli.tune.TuneCommand;
import io.fdt.cli.value.Nearest;
import io.fdt.cli.value.UserText;
import io.fdt.cli.verify.VerifyCommand;
import java.util.List;
import java.util.Map;
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

    private static final String COPY = "fdt client SRC… TARGET";

    /** Words that users of other tools try, with what they mean here. */
    private static final Map<String, String> OTHER_WORDS = Map.ofEntries(
            Map.entry("copy", COPY),
            Map.entry("cp", COPY),
            Map.entry("scp", COPY),
            Map.entry("put", COPY),
            Map.entry("get", COPY),
            Map.entry("push", COPY),
            Map.entry("pull", COPY),
            Map.entry("sync", "fdt client --delete SRC/ TARGET"),
            Map.entry("check", "fdt verify SRC TARGET"),
            Map.entry("list", "fdt ls fdt://HOST/PATH"),
            Map.entry("man", "fdt help --man COMMAND | man -l -"),
            Map.entry("iperf3", "fdt nettest HOST"));

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
        if (command == null && OTHER_WORDS.containsKey(name)) {
            throw UserText.refusal("unknown command '" + name + "'; write " + OTHER_WORDS.get(name));
        }
        if (command == null) {
            throw Nearest.unknown("command", name, names());
        }
        return command;
    }

    static List<String> names() {
        return ALL.stream().map(Command::name).toList();
    }
}
