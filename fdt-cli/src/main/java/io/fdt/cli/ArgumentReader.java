package io.fdt.cli;

import io.fdt.cli.GivenArguments.GivenOption;
import io.fdt.core.TransferException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Splits a command's arguments by its table of options. Values stay texts here, so that those of the environment and
 * the config file go the same way later.
 */
final class ArgumentReader implements CommandModel.Sink {
    private final Command command;
    private final List<GivenOption> options = new ArrayList<>();
    private List<String> operands = List.of();

    private ArgumentReader(Command command) {
        this.command = command;
    }

    /**
     * Reads the arguments behind the command's name.
     *
     * @throws TransferException USAGE, with one line that says what would be right
     */
    static GivenArguments read(Command command, List<String> args) {
        ArgumentReader reader = new ArgumentReader(command);
        CommandLine commandLine = new CommandLine(CommandModel.of(command, reader));
        commandLine.setExpandAtFiles(false);
        commandLine.setInterpolateVariables(false);
        commandLine.setOverwrittenOptionsAllowed(true);
        try {
            commandLine.parseArgs(args.toArray(new String[0]));
        } catch (ParameterException e) {
            throw reader.refusal(e, args);
        }
        return new GivenArguments(reader.options, reader.operands);
    }

    @Override
    public void onOption(Option option, String text) {
        options.add(new GivenOption(option, text));
    }

    @Override
    public void onOperands(List<String> all) {
        operands = all;
    }

    private TransferException refusal(ParameterException e, List<String> args) {
        if (e instanceof UnmatchedArgumentException unmatched) {
            return unmatched(unmatched.getUnmatched().get(0));
        }
        if (e instanceof MissingParameterException missing
                && !missing.getMissing().isEmpty()) {
            Option option = option(missing.getMissing().get(0));
            if (option != null) {
                return UserText.refusal(option.name() + " needs a value: " + option.name() + " " + option.label());
            }
        }
        Option given = switchWithText(args);
        if (given != null) {
            return UserText.refusal(given.name() + " takes no value; write " + given.name() + " or " + given.negated());
        }
        return UserText.refusal(UserText.visible(String.valueOf(e.getMessage())) + seeHelp());
    }

    /** The first switch that someone gave a text to, which picocli does not name. */
    private @Nullable Option switchWithText(List<String> args) {
        for (String arg : args) {
            for (Option option : command.options()) {
                boolean named = arg.startsWith(option.name() + "=") || arg.startsWith(option.negated() + "=");
                if (named && option.isSwitch()) {
                    return option;
                }
            }
        }
        return null;
    }

    private TransferException unmatched(String argument) {
        if (!argument.startsWith("-")) {
            return UserText.refusal("unexpected argument " + UserText.quoted(argument) + seeHelp());
        }
        int equals = argument.indexOf('=');
        String name = equals < 0 ? argument : argument.substring(0, equals);
        String hint = Nearest.hint(name, names());
        return UserText.refusal("unknown option " + UserText.quoted(name) + (hint.isEmpty() ? seeHelp() : hint));
    }

    private String seeHelp() {
        return "; see fdt " + command.name() + " --help";
    }

    private List<String> names() {
        List<String> names = new ArrayList<>();
        for (Option option : command.options()) {
            names.add(option.name());
            if (CommandModel.hasNegated(option)) {
                names.add(option.negated());
            }
        }
        return names;
    }

    private @Nullable Option option(ArgSpec spec) {
        if (spec instanceof OptionSpec optionSpec) {
            for (Option option : command.options()) {
                for (String name : optionSpec.names()) {
                    if (name.equals(option.name()) || name.equals(option.negated())) {
                        return option;
                    }
                }
            }
        }
        return null;
    }
}
