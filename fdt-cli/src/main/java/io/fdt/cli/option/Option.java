package io.fdt.cli.option;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One option of a command: the table that parsing, settings, help and completion are made of.
 *
 * @param name with its dashes, {@code --rate-limit}
 * @param shortName {@code -P}, or null
 * @param label what stands for the value in help
 * @param preset the text of the default value, read by the same parser as a user's; null for none
 * @param words the only texts that are values, in the order of help; empty when values are no fixed words
 * @param setting whether environment and config file may give it
 */
public record Option(
        String name,
        @Nullable String shortName,
        Kind kind,
        String label,
        @Nullable String preset,
        List<String> words,
        boolean setting,
        String section,
        String help) {

    /** How an option takes its value. */
    public enum Kind {
        /** On, or with {@code --no-} in front off. */
        SWITCH,
        /** One value; the last one given counts. */
        VALUE,
        /** May be given again, and every value counts. */
        LIST,
        /** A switch that may carry a value after an equals sign, never as the next argument. */
        SWITCH_WITH_VALUE
    }

    /** Tables behind each other, as one. */
    @SafeVarargs
    public static List<Option> together(List<Option>... tables) {
        List<Option> all = new ArrayList<>();
        for (List<Option> table : tables) {
            all.addAll(table);
        }
        return List.copyOf(all);
    }

    /** The same with another default. */
    Option preset(String text) {
        return new Option(name, shortName, kind, label, text, words, setting, section, help);
    }

    /** Says what one transfer is about, so it makes no sense as a standing setting. */
    public Option commandLineOnly() {
        return new Option(name, shortName, kind, label, preset, words, false, section, help);
    }

    Option in(Section other) {
        return new Option(name, shortName, kind, label, preset, words, setting, other.title(), help);
    }

    /** Whether it has a {@code --no-} form. What asks for help cannot be taken back. */
    public boolean canBeNegated() {
        return isSwitch() && !name.equals("--help");
    }

    public boolean isSwitch() {
        return kind == Kind.SWITCH;
    }

    public boolean takesValue() {
        return kind == Kind.VALUE || kind == Kind.LIST;
    }

    /** The name in a config file: without the dashes. */
    public String settingName() {
        return name.substring(2);
    }

    /** {@code FDT_RATE_LIMIT}, the same for every command. */
    public String variable() {
        return "FDT_" + upper(settingName());
    }

    /** {@code FDT_CLIENT_RATE_LIMIT}, for one command alone. */
    public String variable(String command) {
        return "FDT_" + upper(command) + "_" + upper(settingName());
    }

    private static String upper(String text) {
        return text.replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** The switch turned off: {@code --no-resume}. */
    public String negated() {
        return "--no-" + settingName();
    }

    /**
     * By name, which is unique in a command. The equality that records come with is made by method handles at its first
     * use, and that takes longer than reading a whole command line.
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
