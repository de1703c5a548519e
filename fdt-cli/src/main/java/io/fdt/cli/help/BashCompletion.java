package io.fdt.cli.help;

import io.fdt.cli.command.Command;
import io.fdt.cli.option.Option;
import java.util.ArrayList;
import java.util.List;

/** The completion script of bash: two tables made of the commands, and the functions that walk a line by them. */
public final class BashCompletion {
    private static final String HEAD = """
            # Completion of fdt for bash: fdt completion bash.

            """;

    private static final String WALK = """

            # Puts the words up to the cursor into typed. Readline breaks words at = and : as well; a part that no blank stands
            # before is put back to where it was.
            _fdt_words() {
                local rest=${COMP_LINE-} part gap i
                typed=()
                for ((i = 0; i <= COMP_CWORD; i++)); do
                    part=${COMP_WORDS[i]}
                    gap=' '
                    if [[ -n ${COMP_LINE-} && -n $part ]]; then
                        gap=${rest%%"$part"*}
                        rest=${rest#*"$part"}
                    elif [[ -n ${COMP_LINE-} && ${COMP_LINE:COMP_POINT-1:1} != [[:blank:]] ]]; then
                        gap=''
                    fi
                    if ((i > 1)) && [[ -z $gap ]]; then
                        typed[${#typed[@]} - 1]+=$part
                    else
                        typed+=("$part")
                    fi
                done
            }

            # Offers paths; for what is quoted or starts with a tilde readline does it itself.
            _fdt_paths() { # -f or -d, what is typed
                local path
                compopt -o filenames -o default 2>/dev/null
                while IFS= read -r path; do
                    COMPREPLY+=("$path")
                done < <(compgen "$1" -- "$2")
            }

            _fdt_fitting() { # words, what is typed
                local word
                for word in $1; do
                    [[ $word != "$2"* ]] || COMPREPLY+=("$word")
                done
            }

            _fdt_offer() { # what is typed of the value
                case $kind in
                    words | attached) _fdt_fitting "$words" "$1" ;;
                    files) _fdt_paths -f "$1" ;;
                    directories) _fdt_paths -d "$1" ;;
                esac
            }

            _fdt() {
                local IFS=$' \\t\\n' typed options operands commands paths kind words
                local command='' option='' ended='' count=0 last word i broken
                COMPREPLY=()
                _fdt_words
                last=${typed[${#typed[@]} - 1]}
                _fdt_command ''
                for ((i = 1; i < ${#typed[@]} - 1; i++)); do
                    word=${typed[i]}
                    if [[ -n $option ]]; then
                        option=''
                    elif [[ -n $ended || $word != -?* ]]; then
                        if ((count == 0)) && [[ " $commands " == *" $word "* ]]; then
                            command=${command:+$command }$word
                            _fdt_command "$command"
                        else
                            ((count += 1))
                        fi
                    elif [[ $word == -- ]]; then
                        ended=yes
                    elif _fdt_value "$command" "$word" && [[ $kind != attached ]]; then
                        option=$word
                    fi
                done
                if [[ -n $option ]]; then
                    _fdt_value "$command" "$option" && _fdt_offer "$last"
                elif [[ -z $ended && $last == --*=* ]]; then
                    _fdt_value "$command" "${last%%=*}" && _fdt_offer "${last#*=}"
                elif [[ -z $ended && $last == -* ]]; then
                    _fdt_fitting "$options" "$last"
                else
                    ((count > 0)) || _fdt_fitting "$operands" "$last"
                    [[ -z $paths ]] || ((count == 0 && ${#operands} > 0)) || _fdt_paths -f "$last"
                fi
                # Readline puts in what stands behind the last colon.
                broken=${last%"${last##*:}"}
                if [[ -n $broken && ${COMP_WORDBREAKS-} == *:* ]]; then
                    COMPREPLY=("${COMPREPLY[@]#"$broken"}")
                fi
                return 0
            }

            complete -F _fdt fdt""";

    private BashCompletion() {}

    public static String script(List<Command> commands) {
        List<String> lines = new ArrayList<>();
        List<Command> all = Command.withSubcommands(commands);
        List<String> names = commands.stream().map(Command::name).toList();
        lines.add("# Sets what there is behind a command: options, words and commands for its first operand, paths.");
        lines.add("_fdt_command() {");
        lines.add("    options='' operands='' commands='' paths=''");
        lines.add("    case $1 in");
        lines.add("        '')");
        lines.add("            options=" + quoted(List.of("--help", "-h", "--version", "-V")));
        lines.add("            operands=" + quoted(names) + "' " + HelpWords.WORD + "'");
        lines.add("            commands=$operands");
        lines.add("            ;;");
        for (Command command : all) {
            lines.add("        " + quoted(List.of(command.name())) + ")");
            lines.add("            options=" + quoted(options(command)));
            if (!command.operandWords().isEmpty()) {
                lines.add("            operands=" + quoted(command.operandWords()));
            }
            if (!command.subcommands().isEmpty()) {
                lines.add("            commands="
                        + quoted(command.subcommands().stream()
                                .map(Command::lastWord)
                                .toList()));
            }
            if (command.takesPaths()) {
                lines.add("            paths=yes");
            }
            lines.add("            ;;");
        }
        lines.add("        " + HelpWords.WORD + ")");
        lines.add("            options=" + quoted(List.of(HelpWords.MAN, HelpWords.MAN_TO)));
        lines.add("            operands=" + quoted(names));
        lines.add("            ;;");
        lines.add("    esac");
        lines.add("}");
        lines.add("");
        lines.add("# Sets what the value of a command's option is; false where it takes none.");
        lines.add("_fdt_value() { # command, option");
        lines.add("    kind='' words=''");
        lines.add("    case $1:$2 in");
        for (Command command : all) {
            for (Option option : command.options()) {
                if (!option.isSwitch()) {
                    lines.add(value(command, option));
                }
            }
        }
        lines.add("        " + HelpWords.WORD + ":" + HelpWords.MAN_TO + ") kind=directories ;;");
        lines.add("        *) return 1 ;;");
        lines.add("    esac");
        lines.add("}");
        return HEAD + String.join("\n", lines) + "\n" + WALK;
    }

    /** Every way in which a word can begin with a dash here. */
    private static List<String> options(Command command) {
        List<String> options = new ArrayList<>();
        for (Option option : command.options()) {
            options.add(option.name());
            String letter = option.shortName();
            if (letter != null) {
                options.add(letter);
            }
            if (option.canBeNegated()) {
                options.add(option.negated());
            }
            if (option.kind() == Option.Kind.SWITCH_WITH_VALUE) {
                option.words().forEach(word -> options.add(option.name() + "=" + word));
            }
        }
        return options;
    }

    private static String value(Command command, Option option) {
        Offer offer = Offer.of(option);
        String kind = option.kind() == Option.Kind.SWITCH_WITH_VALUE
                ? "attached"
                : switch (offer.kind()) {
                    case WORDS -> "words";
                    case FILES -> "files";
                    case DIRECTORIES -> "directories";
                    case NOTHING -> "''";
                };
        String letter = option.shortName();
        String name = quoted(List.of(command.name() + ":" + option.name()));
        String pattern = letter == null ? name : name + " | " + quoted(List.of(command.name() + ":" + letter));
        String words = offer.words().isEmpty() ? "" : " words=" + quoted(offer.words());
        return "        " + pattern + ") kind=" + kind + words + " ;;";
    }

    private static String quoted(List<String> words) {
        return "'" + String.join(" ", words).replace("'", "'\\''") + "'";
    }
}
