package io.fdt.cli.run;

import io.fdt.cli.command.ArgumentReader;
import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.console.Console;
import io.fdt.cli.display.FailureReport;
import io.fdt.cli.display.JsonMode;
import io.fdt.cli.help.HelpText;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.Settings;
import io.fdt.core.basic.Version;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.nativecode.NativeCode;
import java.util.List;
import java.util.Map;

/**
 * Runs a command that starts no job of the engine or does more than that: reads the arguments, answers {@code --help},
 * and reports failures. The command handles signals itself.
 */
public final class PlainRun {
    private PlainRun() {}

    /** Does the work of the command once its arguments are read; returns the exit code. */
    public interface Work {
        int run(GivenArguments given, Settings settings, boolean json);
    }

    /** Runs a command whose purpose is its output, and returns the exit code. */
    public static int run(Command command, List<String> args, Context context, Work work) {
        return exitCode(runForEffect(command, args, context, work), context.console());
    }

    /**
     * Returns the exit code of a command whose purpose is its output: if the output could not be written, the command
     * failed.
     */
    public static int exitCode(int exitCode, Console console) {
        return exitCode == 0 && console.hasLostData() ? FailureKind.TARGET.exitCode() : exitCode;
    }

    /** Prints the help or the version that the line asks for. */
    public static int text(Command command, GivenArguments given, Context context) {
        context.console()
                .data(
                        given.has(CommonOptions.HELP)
                                ? HelpText.of(command, given, context.environment())
                                : "fdt " + Version.number());
        return exitCode(0, context.console());
    }

    /** Prints how options of other tools were read, in one line, unless only errors or only a log are wanted. */
    public static void note(Settings settings, Context context) {
        List<String> notes = settings.given().notes();
        if (!notes.isEmpty() && !settings.on(CommonOptions.QUIET) && !settings.on(CommonOptions.LOG_JSON)) {
            context.console().message("fdt: note: " + String.join("; ", notes));
        }
    }

    /** Like {@link #run}, but for a command whose purpose is not its output. */
    public static int runForEffect(Command command, List<String> args, Context context, Work work) {
        boolean configured = command.hasSettings();
        // How to report a failure, as far as that is known when it occurs.
        boolean asJson =
                JsonMode.asked(command.name(), args, configured ? context.environment() : Map.of()) != JsonMode.OFF;
        boolean withTrace = false;
        try {
            GivenArguments given = ArgumentReader.read(command, args);
            if (given.asksForText()) {
                return text(command, given, context);
            }
            Settings settings = configured
                    ? Settings.of(command.name(), given, context.environment())
                    : Settings.ofCommandLine(command.name(), given);
            asJson = settings.on(CommonOptions.JSON);
            withTrace = settings.on(CommonOptions.VERBOSE);
            note(settings, context);
            NativeCode.require();
            return work.run(given, settings, asJson);
        } catch (RuntimeException e) {
            return new FailureReport(context.console(), asJson, withTrace).print(e);
        }
    }
}
