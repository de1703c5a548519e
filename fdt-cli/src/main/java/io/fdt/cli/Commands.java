package io.fdt.cli;

import io.fdt.cli.batch.BatchCommand;
import io.fdt.cli.command.Command;
import io.fdt.cli.copy.ClientCommand;
import io.fdt.cli.copy.JobsCommand;
import io.fdt.cli.help.HelpWords;
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
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The table of commands. The options of a command are loaded only when they are needed. */
final class Commands {
    /** The groups of the help. */
    static final Map<String, List<Command>> GROUPS = groups();

    static final List<Command> ALL =
            GROUPS.values().stream().flatMap(List::stream).toList();

    private static Map<String, List<Command>> groups() {
        Map<String, List<Command>> groups = new LinkedHashMap<>();
        groups.put("Copy", List.of(new ClientCommand(), new BatchCommand(), new JobsCommand(), new ShardCommand()));
        groups.put(
                "Look at files and change them",
                Stream.<List<Command>>of(
                                List.of(new ListCommand()),
                                FileCommand.all(),
                                List.of(new VerifyCommand(), new CleanCommand()))
                        .flatMap(List::stream)
                        .toList());
        groups.put("Serve", List.of(new ServerCommand(), new KeyCommand()));
        groups.put(
                "This host and its network",
                List.of(new NettestCommand(), new MonitorCommand(), new TuneCommand(), new CompletionCommand()));
        return Collections.unmodifiableMap(groups);
    }

    private Commands() {}

    /** Returns the command with this name; null if there is none. */
    static @Nullable Command named(String name) {
        for (Command command : ALL) {
            if (command.names().contains(name)) {
                return command;
            }
        }
        return null;
    }

    /** Returns the command with this name; throws USAGE with a list of the known names. */
    static Command known(String name) {
        Command command = named(name);
        OtherTools.Foreign meant =
                command == null ? OtherTools.table(OtherTools.COMMANDS).get(name) : null;
        if (meant != null) {
            throw UserText.refusal("unknown command '" + name + "'; run " + meant.text());
        }
        if (command == null) {
            List<String> likely = new ArrayList<>(List.of(HelpWords.WORD, "version"));
            ALL.forEach(each -> likely.addAll(each.names()));
            throw UserText.refusal("unknown command " + UserText.quoted(name) + "; one of " + String.join(", ", names())
                    + Nearest.hint(name, likely));
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
