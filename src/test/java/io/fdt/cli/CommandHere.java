package io.fdt.cli;

import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.console.Console;
import io.fdt.cli.console.Signals;
import io.fdt.core.basic.Clock;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;

/** Runs a command to its end in the JVM of the tests, with its real engine. In this package for the sake of Main. */
public final class CommandHere {
    private CommandHere() {}

    /** The names of all commands, with those of their subcommands. */
    public static List<String> names() {
        return Command.withSubcommands(Commands.ALL).stream().map(Command::name).toList();
    }

    /** Returns the exit code. */
    public static int run(
            List<String> args,
            Map<String, String> environment,
            Clock clock,
            InputStream in,
            OutputStream out,
            OutputStream err) {
        Context here = Main.context(new Console(out, err, false), in, environment, new NoSignals());
        return Main.run(
                args,
                new Context(
                        here.console(),
                        here.standardInput(),
                        here.environment(),
                        here.library(),
                        clock,
                        here.signals(),
                        here.cores()));
    }

    private static final class NoSignals implements Signals {
        @Override
        public void onSignal(String name, Runnable action) {}

        @Override
        public void halt(int exitCode) {
            throw new IllegalStateException("it would halt the process with " + exitCode);
        }
    }
}
