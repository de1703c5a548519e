package io.fdt.cli.command;

import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.GivenArguments.GivenOption;
import io.fdt.cli.option.Option;
import io.fdt.cli.value.Nearest;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import io.fdt.core.TransferException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parses the arguments of a command by its table of options, as getopt does: {@code --lanes 4}, {@code --lanes=4},
 * {@code -P 4}, {@code -P4}, {@code -vq}. {@code --} ends the options, {@code -} is an operand, and options and
 * operands can be mixed. Values remain text here, so that values from the environment and the config file can be parsed
 * in the same way later.
 *
 * <p>Written by hand, because the start is part of every transfer: picocli's parser took 70 of the 180 ms that a client
 * needed to be ready.
 */
public final class ArgumentReader {
    /** The row of a command's table of replacements about operands, of which it has none. */
    private static final String ANY_OPERAND = "OPERAND";

    private final Command command;
    private final List<String> args;
    private final List<GivenOption> options = new ArrayList<>();
    private final List<String> operands = new ArrayList<>();
    private int next;

    private ArgumentReader(Command command, List<String> args) {
        this.command = command;
        this.args = args;
    }

    /** Reads the arguments after the command's name; throws USAGE with one line that describes the correct form. */
    public static GivenArguments read(Command command, List<String> args) {
        ArgumentReader reader = new ArgumentReader(command, args);
        reader.readAll();
        GivenArguments given = new GivenArguments(reader.options, reader.operands);
        if (!given.has(CommonOptions.HELP)) {
            command.onRead();
        }
        return given;
    }

    private void readAll() {
        while (next < args.size()) {
            String arg = args.get(next++);
            if (arg.equals("--")) {
                while (next < args.size()) {
                    addOperand(args.get(next++));
                }
            } else if (arg.startsWith("--")) {
                readLong(arg);
            } else if (arg.startsWith("-") && arg.length() > 1) {
                readLetters(arg);
            } else {
                addOperand(arg);
            }
        }
    }

    private void addOperand(String arg) {
        if (command.operands().isEmpty()) {
            String instead = command.replacements().get(ANY_OPERAND);
            throw UserText.refusal(
                    "unexpected argument " + UserText.quoted(arg) + (instead == null ? seeHelp() : "; " + instead));
        }
        operands.add(arg);
    }

    private void readLong(String arg) {
        int equals = arg.indexOf('=');
        String name = equals < 0 ? arg : arg.substring(0, equals);
        String attached = equals < 0 ? null : arg.substring(equals + 1);
        Option option = named(name);
        if (option == null) {
            throw unknown(name, name);
        }
        boolean negated = !name.equals(option.name());
        switch (option.kind()) {
            case SWITCH -> {
                if (attached != null) {
                    throw UserText.refusal(option.name() + " takes no value; write " + option.name()
                            + (option.canBeNegated() ? " or " + option.negated() : ""));
                }
                add(option, String.valueOf(!negated));
            }
            case VALUE, LIST -> add(option, attached != null ? attached : nextValue(option));
            case SWITCH_WITH_VALUE -> add(option, attached != null ? attached : "true");
        }
    }

    /**
     * Reads several short options in one argument. The first one that takes a value uses the remaining characters as
     * its value.
     */
    private void readLetters(String arg) {
        for (int i = 1; i < arg.length(); i++) {
            Option option = lettered("-" + arg.charAt(i));
            if (option == null) {
                throw unknown(i == 1 ? arg : "-" + arg.charAt(i), arg);
            }
            if (option.takesValue()) {
                add(option, i + 1 < arg.length() ? arg.substring(i + 1) : nextValue(option));
                return;
            }
            add(option, "true");
        }
    }

    /** Returns the next argument. If that is an option, the value was forgotten, and this throws USAGE. */
    private String nextValue(Option option) {
        String value = next < args.size() ? args.get(next) : null;
        if (value == null || value.equals("--") || isOption(value)) {
            throw UserText.refusal(option.name() + " needs a value: " + option.name() + " "
                    + option.value().label());
        }
        // Other tools have options of this name without a value, so this is likely to be an operand.
        if (!option.value().words().isEmpty()
                && value.indexOf(',') < 0
                && !option.value().words().contains(value)) {
            throw UserText.refusal(option.name() + " " + UserText.quoted(value) + ": "
                    + Words.notAmong(value, option.value().words()).expected());
        }
        next++;
        return value;
    }

    private boolean isOption(String arg) {
        int equals = arg.indexOf('=');
        return named(equals < 0 ? arg : arg.substring(0, equals)) != null || lettered(arg) != null;
    }

    private void add(Option option, String text) {
        options.add(new GivenOption(option, text));
    }

    private @Nullable Option named(String name) {
        for (Option option : command.options()) {
            if (name.equals(option.name()) || (option.canBeNegated() && name.equals(option.negated()))) {
                return option;
            }
        }
        return null;
    }

    private @Nullable Option lettered(String letter) {
        for (Option option : command.options()) {
            if (letter.equals(option.shortName())) {
                return option;
            }
        }
        return null;
    }

    /** @param whole the argument that begins with the option or contains it */
    private TransferException unknown(String name, String whole) {
        Map<String, String> replacements = command.replacements();
        String meant = replacements.get(whole);
        if (meant != null) {
            return UserText.refusal(whole + ": " + meant);
        }
        List<String> names = new ArrayList<>();
        for (Option option : command.options()) {
            names.add(option.name());
            if (option.canBeNegated()) {
                names.add(option.negated());
            }
        }
        String hint = Nearest.hint(name, names);
        // In a group of short options, the message is about the first one, unless the group looks like a long option
        // with one dash missing.
        boolean word = name.startsWith("--") || (name.length() > 2 && !hint.isEmpty());
        String known = word ? name : name.substring(0, 2);
        String instead = replacements.get(known);
        if (instead != null) {
            return UserText.refusal(known + ": " + instead);
        }
        return UserText.refusal("unknown option " + UserText.quoted(name) + (hint.isEmpty() ? seeHelp() : hint));
    }

    private String seeHelp() {
        return "; see fdt " + command.name() + " --help";
    }
}
