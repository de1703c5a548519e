package io.fdt.cli;

import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.command.Help;
import io.fdt.cli.help.BashCompletion;
import io.fdt.cli.help.FishCompletion;
import io.fdt.cli.help.ZshCompletion;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.run.PlainRun;
import io.fdt.cli.value.Nearest;
import io.fdt.cli.value.UserText;
import java.util.List;

/** {@code completion}: prints the script with which a shell completes commands, options and fixed values. */
final class CompletionCommand extends Command {
    private static final List<String> SHELLS = List.of("bash", "zsh", "fish");

    CompletionCommand() {
        super("completion", "print a completion script for bash, zsh or fish", "bash | zsh | fish");
    }

    @Override
    protected Help help() {
        return Help.of(List.of(CommonOptions.HELP))
                .words(SHELLS)
                .about("""
                        Prints a script that completes a command named fdt.""")
                .example("completion bash > ~/.local/share/bash-completion/completions/fdt", "for bash")
                .example(
                        "completion zsh > ~/.fdt-completion.zsh",
                        "for zsh; source it in .zshrc, or name it _fdt in $fpath")
                .example("completion fish > ~/.config/fish/completions/fdt.fish", "for fish");
    }

    @Override
    public int run(List<String> args, Context context) {
        return PlainRun.run(this, args, context, (given, settings, json) -> {
            if (given.operands().size() != 1) {
                throw UserText.refusal("name one shell: " + String.join(", ", SHELLS));
            }
            context.console().data(script(given.operands().get(0)));
            return 0;
        });
    }

    private static String script(String shell) {
        return switch (shell) {
            case "bash" -> BashCompletion.script(Commands.ALL);
            case "zsh" -> ZshCompletion.script(Commands.ALL);
            case "fish" -> FishCompletion.script(Commands.ALL);
            default -> throw Nearest.unknown("shell", shell, SHELLS);
        };
    }
}
