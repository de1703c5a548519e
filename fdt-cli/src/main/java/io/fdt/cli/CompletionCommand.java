package io.fdt.cli;

import io.fdt.cli.command.ArgumentReader;
import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.display.FailureReport;
import io.fdt.cli.help.BashCompletion;
import io.fdt.cli.help.FishCompletion;
import io.fdt.cli.help.HelpText;
import io.fdt.cli.help.ZshCompletion;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.Option;
import io.fdt.cli.value.Nearest;
import io.fdt.cli.value.UserText;
import io.fdt.core.TransferException;
import java.util.List;

/** {@code completion}: the script that has a shell complete commands, options and their words. */
final class CompletionCommand implements Command {
    private static final List<String> SHELLS = List.of("bash", "zsh", "fish");

    @Override
    public String name() {
        return "completion";
    }

    @Override
    public String summary() {
        return "print a completion script for bash, zsh or fish";
    }

    @Override
    public String operands() {
        return "bash | zsh | fish";
    }

    @Override
    public List<String> operandWords() {
        return SHELLS;
    }

    @Override
    public List<String> about() {
        return List.of("Prints a script that completes a command named fdt.");
    }

    @Override
    public List<Option> options() {
        return List.of(CommonOptions.HELP);
    }

    @Override
    public List<Example> examples() {
        return List.of(
                new Example("completion bash > ~/.local/share/bash-completion/completions/fdt", "for bash"),
                new Example(
                        "completion zsh > ~/.fdt-completion.zsh",
                        "for zsh; source it in .zshrc, or name it _fdt in $fpath"),
                new Example("completion fish > ~/.config/fish/completions/fdt.fish", "for fish"));
    }

    @Override
    public int run(List<String> args, Context context) {
        try {
            GivenArguments given = ArgumentReader.read(this, args);
            if (given.has(CommonOptions.HELP)) {
                context.console().data(HelpText.of(this, given, context.environment()));
                return 0;
            }
            if (given.operands().size() != 1) {
                throw UserText.refusal("name one shell: " + String.join(", ", SHELLS));
            }
            context.console().data(script(given.operands().get(0)));
            return 0;
        } catch (TransferException refused) {
            return new FailureReport(context.console(), false, false).print(refused);
        }
    }

    private static String script(String shell) {
        return switch (shell) {
            case "bash" -> BashCompletion.script(Commands.ALL);
            case "zsh" -> ZshCompletion.script(Commands.ALL);
            case "fish" -> FishCompletion.script(Commands.ALL);
            default ->
                throw UserText.refusal("unknown shell " + UserText.quoted(shell) + "; one of "
                        + String.join(", ", SHELLS) + Nearest.hint(shell, SHELLS));
        };
    }
}
