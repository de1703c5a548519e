package io.fdt.cli.list;

import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.command.Help;
import io.fdt.cli.copy.RemoteEnd;
import io.fdt.cli.list.ListView.Columns;
import io.fdt.cli.option.ListOptions;
import io.fdt.cli.option.OtherTools;
import io.fdt.cli.option.Settings;
import io.fdt.cli.run.JobRun;
import io.fdt.cli.run.PlainRun;
import io.fdt.cli.value.HostPort;
import io.fdt.core.Fdt;
import io.fdt.core.failure.TransferException;
import io.fdt.core.files.ListJob;
import io.fdt.core.files.ListObserver;
import io.fdt.core.files.ListPlan;
import io.fdt.core.files.ListSummary;
import java.util.List;
import java.util.function.Consumer;

/** {@code ls}: runs one listing, from the arguments to the exit code. */
public final class ListCommand extends Command {
    private static final String STOPPING = "fdt: stopping (interrupt again to stop at once)";
    private static final long PATIENCE_MS = 900;

    public ListCommand() {
        super("ls", "list what a server exports, and the space there", "fdt://HOST[:PORT][/PATH]");
    }

    @Override
    protected Help help() {
        return Help.of(ListOptions.ALL)
                .takesPaths(false)
                .foreign(OtherTools.OF_LISTINGS)
                .about("""
                        Lists the contents of a directory on a server, or one file, one entry per line. Directories
                        end with a slash. Without a path it lists the exported directories that the key may reach, or,
                        if there is only one, what is in it. It lists names that begin with a dot, but no files of
                        unfinished copies. It does not follow links.

                        A quoted pattern with *, ? or [a-z] in the path lists the names that match it. If a file has
                        exactly this name, it is listed instead.

                        USER@HOST:PATH or HOST:/PATH lists over ssh, which starts the remote end for this listing.

                        Up to 10,000 entries are sorted; longer lists come in the order of the file system. With --json
                        each entry is an object with type, path, kind (file, dir, link, other), bytes, mtime and
                        mode.""")
                .example("ls fdt://dtn2", "the directories that this key may reach")
                .example("ls -l fdt://dtn2/results", "what is in results, with sizes and times")
                .example("ls 'fdt://dtn2/results/*.bin'", "what a pattern matches there")
                .example("ls -R --json fdt://dtn2/results", "everything below, an object a line, for scripts")
                .example("ls -R --space fdt://dtn2/incoming", "also the free space, and what unfinished copies take")
                .example("ls -l ann@dtn2:run7", "the same over ssh, below the home there");
    }

    @Override
    public int run(List<String> args, Context context) {
        return PlainRun.run(this, args, context, (given, settings, json) -> {
            ListRequest request = ListRequest.of(given, settings);
            ListView view = new ListView(
                    context.console(),
                    columns(settings),
                    json,
                    request.plan().path().isEmpty());
            return run(request, context, view, view::onEnd);
        });
    }

    private static Columns columns(Settings settings) {
        if (!settings.on(ListOptions.LONG)) {
            return Columns.NAME;
        }
        return settings.on(ListOptions.READABLE) ? Columns.LONG_READABLE : Columns.LONG;
    }

    /** @param end shows how the listing ended; only the first call counts */
    static int run(ListRequest request, Context context, ListObserver view, Consumer<ListSummary> end) {
        Listing listing = new Listing(request, context, view, end, new RemoteEnd(request.ssh()));
        return JobRun.run(context, listing, request.verbose(), STOPPING, PATIENCE_MS);
    }

    private record Listing(
            ListRequest request, Context context, ListObserver view, Consumer<ListSummary> end, RemoteEnd remoteEnd)
            implements JobRun.CommandJob<ListJob, ListSummary> {
        @Override
        public ListJob start() {
            Fdt fdt = request.network().applied(remoteEnd.start(context));
            ListPlan plan = request.plan();
            HostPort at = remoteEnd.at(null);
            return fdt.list(at == null ? plan : plan.at(at.host(), at.port(), remoteEnd.below(plan.path())), view);
        }

        @Override
        public ListSummary withoutJob(TransferException failure) {
            return new ListSummary(failure.failure(), 0, 0, 0, 0, 0);
        }

        @Override
        public void show(ListSummary summary) {
            end.accept(summary);
        }

        @Override
        public void close() {
            remoteEnd.close();
        }
    }
}
