package io.fdt.cli.batch;

import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.command.Help;
import io.fdt.cli.option.BatchOptions;
import io.fdt.cli.run.PlainRun;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.Location;
import io.fdt.cli.value.UserText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code batch}: requests as JSON lines on standard input, answers on standard output. */
public final class BatchCommand extends Command {
    public BatchCommand() {
        super("batch", "many copies and operations in one process, as JSON lines", "[fdt://HOST[:PORT]]");
    }

    @Override
    protected Help help() {
        return Help.of(BatchOptions.ALL)
                .takesPaths(false)
                .about("""
                        Reads one JSON object a line on standard input and answers on standard output, with one session
                        for operations and one connection for copies that stay open. Requests run at once, so answers
                        of different requests mix; each has the id of its request, a string or a number. It ends when
                        standard input is closed and everything is done. The exit code is the highest of all requests.

                        op is one of: copy (from: a path or a list, to, options: a list of options of fdt client,
                        files: true to report each file); verify (args: a list as for fdt verify); stat, rm and mkdir
                        under the names stat, remove (recursive) and mkdir (parents), each with path or paths; read
                        (paths, ranges: OFFSET:LENGTH of each path, or several of one path, none for whole files, into:
                        an existing file or pipe, such as /dev/fd/3, for the data); sum (paths, type); list (path,
                        recursive); move (from, to); df (paths); cancel (request: the id to end).

                        Paths are fdt://HOST/PATH; without fdt:// they are paths of the HOST of the command line, except
                        those of copy and verify, which are then of this host. stat and sum take paths of this host if
                        no HOST is given.

                        Answers have the id and a type: progress (once a second), entry, space, file (in a copy, or a
                        path that failed), warning, and last exactly one done or error with exit_code, kind and
                        message.""")
                .example("batch fdt://dtn2 < requests.jsonl", "run requests, one JSON object per line");
    }

    @Override
    public int run(List<String> args, Context context) {
        return PlainRun.run(this, args, context, (given, settings, json) -> {
            List<String> operands = given.operands();
            if (operands.size() > 1) {
                throw UserText.refusal("more than one server; write fdt batch [fdt://HOST[:PORT]]");
            }
            return BatchRun.run(context, operands.isEmpty() ? null : server(operands.get(0)), settings);
        });
    }

    private static @Nullable HostPort server(String text) {
        Location location = Location.ofOperand(text);
        if (location.server() == null || location.pathOrTop().lengthBytes() > 1) {
            throw UserText.refusal(UserText.quoted(text) + " is no server; write fdt://HOST[:PORT]");
        }
        return location.server();
    }
}
