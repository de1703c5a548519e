package io.fdt.cli;

import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.help.HelpText;
import io.fdt.cli.help.HelpWords;
import io.fdt.cli.help.ManPage;
import io.fdt.cli.value.Location;
import io.fdt.cli.value.UserText;
import io.fdt.core.basic.Version;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code fdt help [COMMAND]}: help for all commands or for one, for a terminal or as manual pages. */
final class HelpRequest {
    private HelpRequest() {}

    static int run(List<String> args, Context context) {
        String first = args.isEmpty() ? "" : args.get(0);
        if (first.equals(HelpWords.MAN_TO)) {
            if (args.size() != 2) {
                throw UserText.refusal(
                        HelpWords.MAN_TO + " needs one directory; write fdt help " + HelpWords.MAN_TO + " DIR");
            }
            writePages(args.get(1));
            return 0;
        }
        boolean man = first.equals(HelpWords.MAN);
        List<String> words = man ? args.subList(1, args.size()) : args;
        context.console().data(man ? page(words) : text(words, context));
        return 0;
    }

    private static String text(List<String> words, Context context) {
        boolean all = words.isEmpty() || words.get(0).equals(HelpWords.WORD);
        return all ? HelpText.ofAll(Commands.GROUPS) : HelpText.of(requested(words), context.environment());
    }

    private static String page(List<String> words) {
        return words.isEmpty()
                ? ManPage.ofAll(Commands.ALL, Version.number())
                : ManPage.of(requested(words), Commands.ALL, Version.number());
    }

    /** The command, or its subcommand. Further words are ignored. */
    private static Command requested(List<String> words) {
        Command command = Commands.known(words.get(0));
        return words.size() > 1 ? command.part(words.get(1)) : command;
    }

    private static void writePages(String directory) {
        try {
            Path into = Location.local(directory);
            write(into, ManPage.name(""), ManPage.ofAll(Commands.ALL, Version.number()));
            for (Command command : Command.withSubcommands(Commands.ALL)) {
                write(into, ManPage.name(command.name()), ManPage.of(command, Commands.ALL, Version.number()));
            }
        } catch (IOException e) {
            throw Cause.NO_RECORD.failure(
                    "cannot write to " + UserText.visible(directory) + ": " + TransferException.reason(e), e);
        }
    }

    private static void write(Path into, String name, String page) throws IOException {
        Files.write(into.resolve(name + ".1"), (page + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
