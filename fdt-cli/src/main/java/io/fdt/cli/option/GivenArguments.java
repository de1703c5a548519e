package io.fdt.cli.option;

import io.fdt.cli.value.UserText;
import java.util.ArrayList;
import java.util.List;

/**
 * The contents of the command line: the options in the order given, each with its text, and the operands.
 *
 * @param operands all arguments that are not options or their values
 * @param notes how options of other tools were read
 */
public record GivenArguments(List<GivenOption> options, List<String> operands, List<String> notes) {
    public GivenArguments {
        options = List.copyOf(options);
        operands = List.copyOf(operands);
        notes = List.copyOf(notes);
    }

    /** Whether the line asks for the help or the version, so that nothing else happens. */
    public boolean asksForText() {
        return has(CommonOptions.HELP) || has(CommonOptions.VERSION);
    }

    public List<String> texts(Option option) {
        List<String> texts = new ArrayList<>();
        for (GivenOption given : options) {
            if (given.option().equals(option)) {
                texts.add(given.text());
            }
        }
        return texts;
    }

    public boolean has(Option option) {
        return !texts(option).isEmpty();
    }

    /** Throws USAGE if any of these options was given: its name followed by the reason. */
    public void refuse(List<Option> some, String why) {
        for (Option option : some) {
            if (has(option)) {
                throw UserText.refusal(option.name() + why);
            }
        }
    }

    /** One occurrence of an option. The text of a switch is {@code true} or {@code false}. */
    public record GivenOption(Option option, String text) {}
}
