package io.fdt.cli.command;

import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.GivenArguments.GivenOption;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.OtherTools.Foreign;
import io.fdt.cli.option.OtherTools.Outcome;
import io.fdt.cli.value.Nearest;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Parses the arguments of a command by its table of options, as getopt does: {@code --lanes 4}, {@code --lanes=4},
 * {@code -P 4}, {@code -P4}, {@code -vq}. {@code --} ends the options, {@code -} is an operand, and options and
 * operands can be mixed. Values remain text here, so that values from the environment and the config file can be parsed
 * in the same way later.
 *
 * <p>Written by hand, because the start is part of every transfer: picocli's parser took 70 of the 180 ms that a client
 * needed to be ready.
 *
 * <p>It also takes or refuses what users of other tools type, as {@link io.fdt.cli.option.OtherTools} says.
 */
public final class ArgumentReader {
    /** The row of a command's table of replacements about operands, of which it has none. */
    private static final String ANY_OPERAND = "OPERAND";

    /** The letter that is help alone and otherwise, as for ls and rsync, readable sizes. */
    private static final String H = "-h";

    private static final String READABLE = "--human-readable";
    private static final String V = "-V";
    private static final String VERSION = "--version";

    private final Command command;
    private final List<String> args;
    private final List<GivenOption> options = new ArrayList<>();
    private final List<String> operands = new ArrayList<>();
    private final Map<Option, List<String>> additions = new LinkedHashMap<>();
    private final List<String> notes = new ArrayList<>();
    private final List<String> refusals = new ArrayList<>();
    private @Nullable Map<String, Foreign> table;
    private int next;

    private ArgumentReader(Command command, List<String> args) {
        this.command = command;
        this.args = args;
    }

    /**
     * Reads the arguments after the command's name; throws USAGE with one line that describes the correct form of
     * everything that is wrong.
     */
    public static GivenArguments read(Command command, List<String> args) {
        ArgumentReader reader = new ArgumentReader(command, args);
        reader.readAll();
        reader.additions.forEach(reader::addTo);
        if (!reader.refusals.isEmpty()) {
            throw UserText.refusal(String.join(". ", reader.refusals));
        }
        GivenArguments given = new GivenArguments(reader.options, reader.operands, reader.notes);
        if (!given.asksForText()) {
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
        if (!command.operands().isEmpty()) {
            operands.add(arg);
        } else if (refusals.isEmpty()) {
            // Behind a refused option, it may be its value.
            Foreign row = foreign(ANY_OPERAND);
            refusals.add("unexpected argument " + UserText.quoted(arg) + (row == null ? seeHelp() : "; " + row.text()));
        }
    }

    private void readLong(String arg) {
        int equals = arg.indexOf('=');
        String name = equals < 0 ? arg : arg.substring(0, equals);
        String attached = equals < 0 ? null : arg.substring(equals + 1);
        Option option = named(name);
        if (option == null) {
            Foreign row = foreign(name);
            if (row != null) {
                read(name, row, attached);
            } else if (arg.equals(VERSION)) {
                add(CommonOptions.VERSION, "true");
            } else {
                String hint = hint(name);
                refusals.add("unknown option " + UserText.quoted(name) + (hint.isEmpty() ? seeHelp() : hint));
            }
            return;
        }
        boolean negated = !name.equals(option.name());
        switch (option.kind()) {
            case SWITCH -> {
                if (attached != null) {
                    refusals.add(option.name() + " takes no value; write " + option.name()
                            + (option.isSwitch() ? " or " + option.negated() : ""));
                } else {
                    add(option, String.valueOf(!negated));
                }
            }
            case VALUE, LIST -> readValue(option, name, attached);
            case SWITCH_WITH_VALUE -> add(option, attached != null ? attached : "true");
        }
    }

    /**
     * Reads several short options in one argument. The first one that takes a value uses the remaining characters as
     * its value.
     */
    private void readLetters(String arg) {
        if (arg.length() > 2 && !isKnown(arg)) {
            Foreign whole = foreign(arg);
            String hint = hint(arg);
            if (whole != null) {
                read(arg, whole, null);
                return;
            }
            // A long option with one dash missing.
            if (!hint.isEmpty()) {
                refusals.add("unknown option " + UserText.quoted(arg) + hint);
                return;
            }
        }
        for (int i = 1; i < arg.length(); i++) {
            String letter = "-" + arg.charAt(i);
            String rest = i + 1 < arg.length() ? arg.substring(i + 1) : null;
            Option option = lettered(letter);
            Foreign row = option == null ? foreign(letter) : null;
            if (option != null && option.takesValue()) {
                if (readValue(option, letter, rest)) {
                    return;
                }
            } else if (option != null) {
                add(option, "true");
            } else if (arg.equals(V) && isAlone() && (row == null || args.size() == 1)) {
                add(CommonOptions.VERSION, "true");
            } else if (row != null) {
                read(letter, row, rest);
                if (row.takesValue()) {
                    return;
                }
            } else if (letter.equals(H)) {
                refusals.add(H + ": for help write fdt " + command.name() + " --help");
            } else {
                refusals.add("unknown option " + UserText.quoted(i == 1 ? arg : letter) + seeHelp());
                return;
            }
        }
    }

    /** Whether all of these letters are those of options, up to one that takes a value. */
    private boolean isKnown(String letters) {
        for (int i = 1; i < letters.length(); i++) {
            Option option = lettered("-" + letters.charAt(i));
            if (option == null || option.takesValue()) {
                return option != null;
            }
        }
        return true;
    }

    /** Whether the only option is the only argument, or stands behind one of the command's own words. */
    private boolean isAlone() {
        return args.size() == 1 || (args.size() == 2 && command.operandWords().contains(args.get(0)));
    }

    /**
     * Adds the option with the attached value, or else with the next argument, unless that is an option or, as other
     * tools have options of this name without a value, something that cannot be its value. Returns whether it did.
     */
    private boolean readValue(Option option, String name, @Nullable String attached) {
        String value = attached != null ? attached : nextWord();
        List<String> words = option.value().words();
        boolean attachedToName = attached != null && name.startsWith("--");
        if (value != null && (attachedToName || canBe(option, value))) {
            take(option, value, attached);
            return true;
        }
        boolean misspelt = value != null && !Nearest.hint(value, words).isEmpty();
        Foreign row = misspelt ? null : foreign(name);
        if (row != null) {
            read(name, row, null);
        } else if (value == null) {
            refusals.add(option.name() + " needs a value: " + option.name() + " "
                    + option.value().label());
        } else if (words.isEmpty()) {
            take(option, value, attached);
            return true;
        } else {
            refusals.add(option.name() + " " + UserText.quoted(value) + ": "
                    + Words.notAmong(value, words).expected());
        }
        return false;
    }

    private void take(Option option, String value, @Nullable String attached) {
        next += attached == null ? 1 : 0;
        add(option, value);
    }

    /** Returns the next argument; null if there is none, or it is an option. */
    private @Nullable String nextWord() {
        String word = next < args.size() ? args.get(next) : null;
        return word == null || word.equals("--") || isOption(word) ? null : word;
    }

    /** Whether the text looks like a value of this option; whether it is one is checked later. */
    private static boolean canBe(Option option, String text) {
        List<String> words = option.value().words();
        if (option.value().label().equals("N")) {
            String preset = String.valueOf(option.value().preset());
            return Words.digits(text.substring(0, Math.min(1, text.length()))) >= 0
                    || text.equals(preset)
                    || text.startsWith(preset + ":");
        }
        return words.isEmpty() || text.indexOf(',') >= 0 || words.contains(text.toLowerCase(Locale.ROOT));
    }

    private boolean isOption(String arg) {
        int equals = arg.indexOf('=');
        String name = equals < 0 ? arg : arg.substring(0, equals);
        return named(name) != null || lettered(arg) != null || (arg.startsWith("-") && foreign(name) != null);
    }

    /** Reads a word of other tools. */
    private void read(String name, Foreign row, @Nullable String attached) {
        String value = attached;
        if (value == null && row.takesValue()) {
            value = nextWord();
            next += value == null ? 0 : 1;
        }
        if (row.outcome() == Outcome.REFUSED) {
            refusals.add(name + ": " + row.text());
        } else if (row.takesValue() && value == null) {
            refusals.add(name + " needs a value");
        } else if (value == null && next < args.size() && isForSsh(name, args.get(next))) {
            refusals.add(name + ": an option of ssh belongs to --ssh COMMAND, such as --ssh 'ssh " + name + " …'");
        } else if (row.isArgument()) {
            readInstead(name, row.argument(value == null ? "" : value), row.takesValue() ? value : null);
        } else if (row.outcome() == Outcome.NOTED) {
            notes.add(name + ": " + row.text());
        }
    }

    /** Whether this is {@code -i KEY} or {@code -o NAME=VALUE}: as a source, the secret would be copied. */
    private static boolean isForSsh(String name, String word) {
        return switch (name) {
            case "-i" -> word.contains(".ssh/") || word.endsWith(".pem") || word.matches("(.*/)?id_[a-z0-9]+");
            case "-o" -> word.matches("[A-Z][A-Za-z]+=.*");
            default -> false;
        };
    }

    private void readInstead(String name, String argument, @Nullable String value) {
        int plus = argument.indexOf("=+");
        notes.add(name + (value == null ? "" : " " + UserText.visible(value)) + " means "
                + UserText.visible(plus < 0 ? argument : argument.replace("=+", " with ")));
        if (plus > 0) {
            Option option = Objects.requireNonNull(named(argument.substring(0, plus)));
            additions.computeIfAbsent(option, first -> new ArrayList<>()).add(argument.substring(plus + 2));
        } else if (argument.startsWith("--")) {
            readLong(argument);
        } else {
            addOperand(argument);
        }
    }

    /** Adds words to the list that is given, or else to the default. */
    private void addTo(Option option, List<String> words) {
        List<String> texts = new GivenArguments(options, operands, notes).texts(option);
        String list = texts.isEmpty() ? String.valueOf(option.value().preset()) : texts.get(texts.size() - 1);
        if (!list.equals("all")) {
            String more = String.join(",", words);
            add(option, list.equals("none") ? more : list + "," + more);
        }
    }

    private void add(Option option, String text) {
        options.add(new GivenOption(option, text));
    }

    private @Nullable Option named(String name) {
        for (Option option : command.options()) {
            if (name.equals(option.name()) || (option.isSwitch() && name.equals(option.negated()))) {
                return option;
            }
        }
        return null;
    }

    private @Nullable Option lettered(String letter) {
        if (letter.equals(H) && !isAlone()) {
            return named(READABLE);
        }
        for (Option option : command.options()) {
            if (letter.equals(option.shortName())) {
                return option;
            }
        }
        return null;
    }

    private @Nullable Foreign foreign(String name) {
        Map<String, Foreign> known = table;
        if (known == null) {
            known = command.foreign();
            table = known;
        }
        return known.get(name);
    }

    private String hint(String name) {
        List<String> names = new ArrayList<>();
        for (Option option : command.options()) {
            names.add(option.name());
            if (option.isSwitch()) {
                names.add(option.negated());
            }
        }
        return Nearest.hint(name, names);
    }

    private String seeHelp() {
        return "; see fdt " + command.name() + " --help";
    }
}
