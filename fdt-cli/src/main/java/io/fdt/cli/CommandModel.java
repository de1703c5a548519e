package io.fdt.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Stack;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * A command's table as picocli knows it. Built by hand, one command at a time: annotations would have every class of
 * every command loaded and reflected upon before the first option is read.
 */
final class CommandModel {
    private CommandModel() {}

    /** Told what stands on a command line, in its order. */
    interface Sink {
        void onOption(Option option, String text);

        /** All operands so far; called again when there are more. */
        void onOperands(List<String> operands);
    }

    static CommandSpec of(Command command, Sink sink) {
        CommandSpec model = CommandSpec.create().name(command.name());
        for (Option option : command.options()) {
            model.addOption(optionSpec(option, sink));
            if (hasNegated(option)) {
                model.addOption(negatedSpec(option, sink));
            }
        }
        if (!command.operands().isEmpty()) {
            model.addPositional(PositionalParamSpec.builder()
                    .arity("0..*")
                    .index("0..*")
                    .completionCandidates(command.operandWords())
                    .type(List.class)
                    .auxiliaryTypes(String.class)
                    .setter(onOperands(sink))
                    .build());
        }
        return model;
    }

    /** Asking for help cannot be taken back. */
    static boolean hasNegated(Option option) {
        return option.isSwitch() && !option.equals(CommonOptions.HELP);
    }

    static String[] names(Option option) {
        String shortName = option.shortName();
        return shortName == null ? new String[] {option.name()} : new String[] {shortName, option.name()};
    }

    private static OptionSpec optionSpec(Option option, Sink sink) {
        OptionSpec.Builder builder = OptionSpec.builder(names(option));
        switch (option.kind()) {
            case SWITCH -> builder.type(boolean.class).arity("0");
            case VALUE, LIST -> builder.type(String.class).arity("1");
            case SWITCH_WITH_VALUE ->
                builder.type(String.class).arity("0..1").preprocessor(CommandModel::leaveNextArgumentAlone);
        }
        if (!option.words().isEmpty()) {
            builder.completionCandidates(option.words());
        }
        return builder.setter(onText(option, false, sink)).build();
    }

    private static OptionSpec negatedSpec(Option option, Sink sink) {
        return OptionSpec.builder(option.negated())
                .type(boolean.class)
                .arity("0")
                .hidden(true)
                .setter(onText(option, true, sink))
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

    private static ISetter onText(Option option, boolean negated, Sink sink) {
        return new ISetter() {
            @Override
            public <T> T set(T value) {
                // Null is picocli clearing the option before it reads.
                if (value instanceof Boolean on) {
                    sink.onOption(option, String.valueOf(on != negated));
                } else if (value != null) {
                    sink.onOption(option, value.toString());
                }
                return value;
            }
        };
    }

    private static ISetter onOperands(Sink sink) {
        return new ISetter() {
            @Override
            public <T> T set(T value) {
                List<String> operands = new ArrayList<>();
                if (value instanceof List<?> all) {
                    for (Object one : all) {
                        operands.add(String.valueOf(one));
                    }
                }
                sink.onOperands(operands);
                return value;
            }
        };
    }
}
