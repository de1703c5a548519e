package io.fdt.cli.list;

import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.command.Help;
import io.fdt.cli.option.CleanOptions;
import io.fdt.cli.option.OtherTools;
import io.fdt.cli.run.PlainRun;
import java.util.List;

/** {@code clean}: removes leftovers of unfinished copies, on this host or on a server. */
public final class CleanCommand extends Command {
    public CleanCommand() {
        super("clean", "remove what unfinished copies left", "DIR or fdt://HOST[:PORT]/PATH");
    }

    @Override
    protected Help help() {
        return Help.of(CleanOptions.ALL)
                .foreign(OtherTools.OF_SIZES)
                .about("""
                        Removes partials and journals (.fdt.*) that unfinished copies left in a directory and below it.
                        After that, these copies cannot resume and send their files again. A file that a running copy is
                        writing is kept, and so is everything that changed within the last 7 days, or within --older
                        TIME. Links are not followed.

                        On a server the key must be allowed to write. USER@HOST:PATH or HOST:/PATH cleans over ssh.

                        Each file is one line on stdout with its size and age, and the last line is the total. With
                        --json each file is an object with type (entry), path, kind, bytes, mtime, outcome (removed,
                        would_remove or kept) and reason, and the last one has the type summary. The exit code is 3 if a
                        file could not be removed.""")
                .example("clean --dry-run /data/incoming", "what would be removed here")
                .example("clean /data/incoming", "remove what has not changed for 7 days")
                .example("clean --older 1h fdt://dtn2/incoming", "on a server")
                .example("clean ann@dtn2:incoming", "over ssh");
    }

    @Override
    public int run(List<String> args, Context context) {
        return PlainRun.run(this, args, context, (given, settings, json) -> {
            ListRequest request = ListRequest.ofCleaning(given, settings);
            CleanView view =
                    new CleanView(context.console(), json, settings.on(CleanOptions.DRY_RUN), request.olderSeconds());
            return ListCommand.run(request, context, view, view::onEnd);
        });
    }
}
