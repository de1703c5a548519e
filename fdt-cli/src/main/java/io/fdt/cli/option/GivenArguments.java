package io.fdt.cli.option;

import io.fdt.cli.value.UserText;
import java.util.ArrayList;
import java.util.List;

/**
 * What stood on the command line: options in the order given, each with its text, and the operands.
 *
 * @param operands everything that is no option
 */
public record GivenArguments(List<GivenOption> options, List<String> operands) {
    public GivenArguments {
        options = List.copyOf(options);
        operands = List.copyOf(operands);
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

    /** Throws USAGE if one of these was given: its name and why it cannot be. */
    public void refuse(List<Option> some, String why) {
        for (Option option : some) {
            if (has(option)) {
                throw UserText.refusal(option.name() + why);
            }
        }
    }

    /** One occurrence of an option; a switch has the text {@code true} or {@code false}. */
    public record GivenOption(Option option, String text) {}
}
