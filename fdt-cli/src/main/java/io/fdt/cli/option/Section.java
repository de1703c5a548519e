package io.fdt.cli.option;

import io.fdt.cli.option.Option.OptionKind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A section of help, which declares the options in it. A declaration has the form as help shows it, such as {@code "-P,
 * --lanes N"} or {@code "--durable end|chunk|none"}, the default if there is one, and a sentence.
 *
 * @param setting whether the environment and the config file can set the options
 * @param options all options declared in the section, in this order
 */
public record Section(String title, boolean setting, List<Option> options) {
    public Section(String title, boolean setting) {
        this(title, setting, new ArrayList<>());
    }

    /**
     * Returns the section for options on the command line only, which apply to one command and make no sense as a
     * setting.
     */
    public Section commandLineOnly() {
        return new Section(title, false, options);
    }

    /** Declares another command's option in this section as well. */
    public Option with(Option other) {
        Option option = other.in(this);
        options.add(option);
        return option;
    }

    /** Declares a switch that is off by default. */
    public Option toggle(String form, String help) {
        return option(OptionKind.SWITCH, form, "false", List.of(), help);
    }

    Option toggleOn(String form, String help) {
        return option(OptionKind.SWITCH, form, "true", List.of(), help);
    }

    Option toggleWithValue(String form, String preset, String help) {
        return option(OptionKind.SWITCH_WITH_VALUE, form, preset, words(form), help);
    }

    /** Declares a value without a default. */
    public Option value(String form, String help) {
        return option(OptionKind.VALUE, form, null, List.of(), help);
    }

    public Option value(String form, String preset, String help) {
        return option(OptionKind.VALUE, form, preset, List.of(), help);
    }

    /** Declares a value that may be several of these words, separated by commas. */
    Option words(String form, String preset, List<String> words, String help) {
        return option(OptionKind.VALUE, form, preset, words, help);
    }

    Option choice(String form, String help) {
        return option(OptionKind.VALUE, form, null, words(form), help);
    }

    Option choice(String form, String preset, String help) {
        return option(OptionKind.VALUE, form, preset, words(form), help);
    }

    /** Declares a choice that can be repeated. */
    Option choices(String form, String preset, String help) {
        return option(OptionKind.LIST, form, preset, words(form), help);
    }

    public Option list(String form, String help) {
        return option(OptionKind.LIST, form, null, List.of(), help);
    }

    private static List<String> words(String form) {
        return List.of(form.substring(form.lastIndexOf(' ') + 1).split("\\|", -1));
    }

    private Option option(OptionKind kind, String form, @Nullable String preset, List<String> words, String help) {
        int name = form.indexOf("--");
        int blank = form.indexOf(' ', name);
        Option option = new Option(
                blank < 0 ? form.substring(name) : form.substring(name, blank),
                name == 0 ? null : form.substring(0, name - 2),
                kind,
                new Option.Value(blank < 0 ? "" : form.substring(blank + 1), preset, words),
                setting,
                title,
                help);
        options.add(option);
        return option;
    }
}
