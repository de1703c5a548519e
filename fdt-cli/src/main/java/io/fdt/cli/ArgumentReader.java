package io.fdt.cli;

import io.fdt.cli.GivenArguments.GivenOption;
import io.fdt.core.TransferException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Stack;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Splits a command's arguments by its table of options. Values stay texts here, so that those of the environment and
 * the config file go the same way later. The model is built by hand: no annotations, no reflection at the start.
 */
final class ArgumentReader {
    private final Command command;
    private final List<GivenOption> options = new ArrayList<>();
    private final List<String> operands = new ArrayList<>();

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
        CommandLine commandLine = new CommandLine(reader.model());
        commandLine.setExpandAtFiles(false);
        commandLine.setInterpolateVariables(false);
        commandLine.setOverwrittenOptionsAllowed(true);
        try {
            commandLine.parseArgs(args.toArray(new String[0]));
        } catch (ParameterException e) {
            throw reader.refusal(e);
        }
        return new GivenArguments(reader.options, reader.operands);
    }

    private CommandSpec model() {
        CommandSpec model = CommandSpec.create().name("fdt " + command.name());
        for (Option option : command.options()) {
            model.addOption(optionSpec(option));
            if (option.isSwitch()) {
                model.addOption(negatedSpec(option));
            }
        }
        if (!command.operands().isEmpty()) {
            model.addPositional(PositionalParamSpec.builder()
                    .arity("0..*")
                    .index("0..*")
                    .type(List.class)
                    .auxiliaryTypes(String.class)
                    .setter(onOperands())
                    .build());
        }
        return model;
    }

    private OptionSpec optionSpec(Option option) {
        OptionSpec.Builder builder = option.shortName() == null
                ? OptionSpec.builder(option.name())
                : OptionSpec.builder(option.name(), option.shortName());
        switch (option.kind()) {
            case SWITCH -> builder.type(boolean.class).arity("0");
            case VALUE, LIST -> builder.type(String.class).arity("1");
            case SWITCH_WITH_VALUE ->
                builder.type(String.class).arity("0..1").preprocessor(ArgumentReader::leaveNextArgumentAlone);
        }
        return builder.setter(onText(option, false)).build();
    }

    private OptionSpec negatedSpec(Option option) {
        return OptionSpec.builder(option.negated())
                .type(boolean.class)
                .arity("0")
                .hidden(true)
                .setter(onText(option, true))
                .build();
    }

    /** {@code --json x} is the switch and the operand x; only {@code --json=x} is a value. */
    private static boolean leaveNextArgumentAlone(
            Stack<String> args, CommandSpec model, ArgSpec option, Map<String, Object> info) {
        if (" ".equals(info.get("separator"))) {
            args.push("true");
        }
        return false;
    }

    private ISetter onText(Option option, boolean negated) {
        return new ISetter() {
            @Override
            public <T> T set(T value) {
                // Null is picocli clearing the option before it reads.
                if (value instanceof Boolean on) {
                    options.add(new GivenOption(option, String.valueOf(on != negated)));
                } else if (value != null) {
                    options.add(new GivenOption(option, value.toString()));
                }
                return value;
            }
        };
    }

    private ISetter onOperands() {
        return new ISetter() {
            @Override
            public <T> T set(T value) {
                operands.clear();
                if (value instanceof List<?> all) {
                    for (Object one : all) {
                        operands.add(String.valueOf(one));
                    }
                }
                return value;
            }
        };
    }

    private TransferException refusal(ParameterException e) {
        if (e instanceof UnmatchedArgumentException unmatched) {
            return unmatched(unmatched.getUnmatched().get(0));
        }
        Option option = option(e.getArgSpec());
        if (option == null) {
            return UserText.refusal(UserText.visible(String.valueOf(e.getMessage())) + seeHelp());
        }
        if (e instanceof MissingParameterException) {
            return UserText.refusal(option.name() + " needs a value: " + option.name() + " " + option.label());
        }
        return UserText.refusal(
                option.name() + " takes no value; write " + option.name() + " or " + option.negated());
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
            if (option.isSwitch()) {
                names.add(option.negated());
            }
        }
        return names;
    }

    private @Nullable Option option(@Nullable ArgSpec spec) {
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
