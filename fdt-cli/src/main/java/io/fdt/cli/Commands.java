package io.fdt.cli;

import io.fdt.core.TransferException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The table of commands. A command's options are read only when it is asked for. */
final class Commands {
    static final List<Command> ALL = List.of(
            new ServerCommand(),
            new ClientCommand(),
            new NettestCommand(),
            new MonitorCommand(),
            new VerifyCommand(),
            new ShardCommand(),
            new TuneCommand(),
            new KeyCommand(),
            new CompletionCommand());

    private Commands() {}

    static @Nullable Command named(String name) {
        for (Command command : ALL) {
            if (command.name().equals(name)) {
                return command;
            }
        }
        return null;
    }

    /**
     * The command with this name.
     *
     * @throws TransferException USAGE, with the names that there are
     */
    static Command known(String name) {
        Command command = named(name);
        if (command == null) {
            throw UserText.refusal("unknown command " + UserText.quoted(name) + "; one of " + String.join(", ", names())
                    + Nearest.hint(name, names()));
        }
        return command;
    }

    /** The commands, each followed by those behind it. */
    static List<Command> withSubcommands(List<Command> commands) {
        List<Command> all = new ArrayList<>();
        for (Command command : commands) {
            all.add(command);
            all.addAll(command.subcommands());
        }
        return all;
    }

    /** {@code report} of {@code nettest report}. */
    static String lastWord(Command command) {
        String name = command.name();
        return name.substring(name.lastIndexOf(' ') + 1);
    }

    static List<String> names() {
        return ALL.stream().map(Command::name).toList();
    }
}
