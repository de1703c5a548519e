package io.fdt.cli;

import io.fdt.core.TransferException;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

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
                new Example("completion zsh > ~/.fdt-completion.zsh", "for zsh; source it in .zshrc"),
                new Example("completion fish > ~/.config/fish/completions/fdt.fish", "for fish"));
    }

    @Override
    public int run(List<String> args, Context context) {
        try {
            GivenArguments given = ArgumentReader.read(this, args);
            if (given.has(CommonOptions.HELP)) {
                context.console().data(HelpText.of(this, context.environment()));
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
            // picocli's script turns zsh's bash emulation on by itself.
            case "bash", "zsh" ->
                AutoComplete.bash("fdt", new CommandLine(model())).stripTrailing();
            case "fish" -> fish();
            default ->
                throw UserText.refusal("unknown shell " + UserText.quoted(shell) + "; one of "
                        + String.join(", ", SHELLS) + Nearest.hint(shell, SHELLS));
        };
    }

    private static CommandSpec model() {
        CommandSpec root = CommandSpec.create().name("fdt");
        for (Command command : Commands.ALL) {
            root.addSubcommand(command.name(), new CommandLine(model(command)));
        }
        return root;
    }

    private static CommandSpec model(Command command) {
        CommandSpec model = CommandSpec.create().name(command.name());
        for (Option option : command.options()) {
            String letter = option.shortName();
            OptionSpec.Builder builder =
                    letter == null ? OptionSpec.builder(option.name()) : OptionSpec.builder(letter, option.name());
            // The label names a variable of the script, so it must be one of its own.
            builder.arity(option.takesValue() ? "1" : "0").paramLabel(option.settingName());
            if (option.takesValue() && !option.words().isEmpty()) {
                builder.completionCandidates(option.words());
            } else if (option.takesValue() && namesFile(option)) {
                builder.type(File.class);
            }
            model.addOption(builder.build());
            if (option.canBeNegated()) {
                model.addOption(OptionSpec.builder(option.negated()).arity("0").build());
            }
        }
        if (!command.operands().isEmpty()) {
            PositionalParamSpec.Builder builder =
                    PositionalParamSpec.builder().index("0..*").arity("0..*");
            if (command.operandWords().isEmpty()) {
                builder.type(File.class);
            } else {
                builder.completionCandidates(command.operandWords());
            }
            model.addPositional(builder.build());
        }
        return model;
    }

    private static boolean namesFile(Option option) {
        return option.label().startsWith("FILE") || option.label().equals("DIR");
    }

    private static String fish() {
        List<String> lines = new ArrayList<>();
        String names = String.join(" ", Commands.names());
        for (Command command : Commands.ALL) {
            lines.add("complete -c fdt -f -n 'not __fish_seen_subcommand_from " + names + "' -a " + command.name()
                    + " -d " + quoted(command.summary()));
            String seen = "complete -c fdt -n '__fish_seen_subcommand_from " + command.name() + "'";
            if (!command.operandWords().isEmpty()) {
                lines.add(seen + " -f -a " + quoted(String.join(" ", command.operandWords())));
            }
            for (Option option : command.options()) {
                String letter = option.shortName();
                lines.add(seen + (letter == null ? "" : " -s " + letter.substring(1)) + " -l " + option.settingName()
                        + " -d " + quoted(option.help()) + value(option));
            }
        }
        return String.join("\n", lines);
    }

    private static String value(Option option) {
        if (!option.takesValue()) {
            return "";
        }
        return option.words().isEmpty()
                ? (namesFile(option) ? " -r" : " -x")
                : " -x -a " + quoted(String.join(" ", option.words()));
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
