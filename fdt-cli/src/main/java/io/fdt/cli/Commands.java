package io.fdt.cli;

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

    static List<String> names() {
        return ALL.stream().map(Command::name).toList();
    }
}
