package io.fdt.cli.option;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One option of a command. Parsing, settings, help and completion all use this table.
 *
 * @param name with its dashes, {@code --rate-limit}
 * @param shortName {@code -P}, or null
 * @param setting whether the environment and the config file can set the option
 */
public record Option(
        String name,
        @Nullable String shortName,
        OptionKind kind,
        Value value,
        boolean setting,
        String section,
        String help) {

    /**
     * The value of an option.
     *
     * @param label its placeholder in help
     * @param preset the text of the default, parsed like a value from a user; null for none
     * @param words all valid values, in the order of help; empty if values are not fixed words
     */
    public record Value(String label, @Nullable String preset, List<String> words) {}

    /** How an option takes its value. */
    public enum OptionKind {
        /** On; off with the prefix {@code --no-}. */
        SWITCH,
        /** One value; the last one given counts. */
        VALUE,
        /** Can be repeated; all values count. */
        LIST,
        /** A switch with an optional value after an equals sign, never as the next argument. */
        SWITCH_WITH_VALUE
    }

    /** All variables begin with it. */
    static final String VARIABLE = "FDT_";

    private static final String DASHES = "--";

    @SafeVarargs
    public static List<Option> together(List<Option>... tables) {
        List<Option> all = new ArrayList<>();
        for (List<Option> table : tables) {
            all.addAll(table);
        }
        return List.copyOf(all);
    }

    /** Returns the option with another default. */
    Option preset(String text) {
        return new Option(name, shortName, kind, new Value(value.label, text, value.words), setting, section, help);
    }

    /**
     * Returns the option for the command line only, because it applies to one transfer and makes no sense as a setting.
     */
    public Option commandLineOnly() {
        return new Option(name, shortName, kind, value, false, section, help);
    }

    Option in(Section other) {
        return new Option(name, shortName, kind, value, setting, other.title(), help);
    }

    public boolean isSwitch() {
        return kind == OptionKind.SWITCH;
    }

    boolean isRepeatable() {
        return kind == OptionKind.LIST;
    }

    public boolean takesValue() {
        return kind == OptionKind.VALUE || kind == OptionKind.LIST;
    }

    /** Returns the name in a config file, without dashes. */
    public String settingName() {
        return name.substring(DASHES.length());
    }

    /** Returns the variable for all commands, such as {@code FDT_RATE_LIMIT}. */
    public String variable() {
        return VARIABLE + upper(settingName());
    }

    int variableLength() {
        return VARIABLE.length() + name.length() - DASHES.length();
    }

    /** Returns the variable for one command, such as {@code FDT_CLIENT_RATE_LIMIT}. */
    public String variable(String command) {
        return VARIABLE + upper(command) + "_" + upper(settingName());
    }

    private static String upper(String text) {
        return text.replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** Returns the name that turns off the switch, such as {@code --no-resume}. */
    public String negated() {
        return "--no-" + settingName();
    }

    /**
     * Compares by name, which is unique in a command. The default equality of records creates method handles at its
     * first use, which takes longer than parsing a whole command line.
     */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Option option && name.equals(option.name);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }
}
