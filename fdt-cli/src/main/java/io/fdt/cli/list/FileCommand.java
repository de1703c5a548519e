package io.fdt.cli.list;

import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.command.Help;
import io.fdt.cli.option.FileOptions;
import io.fdt.cli.option.OtherTools;
import io.fdt.cli.run.JobRun;
import io.fdt.cli.run.PlainRun;
import io.fdt.core.plan.FileOperation.Action;
import java.util.List;
import java.util.function.Supplier;

/**
 * {@code stat}, {@code cat}, {@code sum}, {@code mkdir}, {@code mv}, {@code rm} and {@code df}: one operation on files
 * of a server.
 */
public final class FileCommand extends Command {
    private static final String STOPPING = "fdt: stopping (interrupt again to stop at once)";
    private static final long PATIENCE_MS = 900;
    private static final String PATHS = "fdt://HOST[:PORT]/PATH…";
    private static final String COMMON = " Paths, --json and exit codes are as for fdt stat.";
    private static final String OF_PATHS = """


            USER@HOST:PATH or HOST:/PATH does the same over ssh. All paths of one call are at one place, and take one
            round trip. With --json each path is an object of type entry with path, kind, bytes and mtime, or of type
            error with path, exit_code and message. If some paths fail and others do not, the exit code is 3.""";

    private final Action action;
    private final Supplier<Help> text;

    private FileCommand(Action action, String name, String summary, String operands, Supplier<Help> text) {
        super(name, summary, operands);
        this.action = action;
        this.text = text;
    }

    public static List<Command> all() {
        return List.of(
                new FileCommand(Action.STAT, "stat", "show kind, size and time of files", PATHS, FileCommand::stat),
                new FileCommand(Action.READ, "cat", "print files of a server", PATHS, FileCommand::cat),
                new FileCommand(Action.SUM, "sum", "print checksums of files", "PATH…", FileCommand::sum),
                new FileCommand(Action.MAKE_DIRECTORY, "mkdir", "make directories", PATHS, FileCommand::mkdir),
                new FileCommand(Action.MOVE, "mv", "rename on a server", "FROM TO", FileCommand::mv),
                new FileCommand(Action.REMOVE, "rm", "remove files and directories", PATHS, FileCommand::rm),
                new FileCommand(
                        Action.SPACE,
                        "df",
                        "show the space on a server",
                        "fdt://HOST[:PORT][/PATH…]",
                        FileCommand::df));
    }

    private static Help stat() {
        return Help.of(FileOptions.OF_ALL)
                .takesPaths(false)
                .about(
                        "Shows kind, mode, size and time of each path. A link is shown itself. A path that does not exist"
                                + " is exit code 4. The key must permit to list." + OF_PATHS)
                .example("stat fdt://dtn2/run7/a.bin fdt://dtn2/run7/b.bin", "two files in one call")
                .example("stat --json fdt://dtn2/run7/a.bin", "for a script");
    }

    private static Help cat() {
        return Help.of(FileOptions.OF_CAT)
                .takesPaths(false)
                .about("Prints the files one after the other, verified, without a copy of them. A file that changes"
                        + " meanwhile is a failure. The key must permit to read. Paths and exit codes are as for fdt"
                        + " stat.")
                .example("cat fdt://dtn2/run7/log.txt | grep error", "search a file without a copy of it");
    }

    private static Help sum() {
        return Help.of(FileOptions.OF_SUM)
                .takesPaths(true)
                .about("Prints the checksum of each file as the tools of the coreutils do: hexadecimal digits, two"
                        + " spaces, the path. adler32 and crc32c always have eight digits. The host that has the files"
                        + " computes them, several files at once, so only the result crosses the network. Links are"
                        + " followed below the exported directory. The key must permit to read. Paths may also be of"
                        + " this host." + COMMON)
                .example("sum --type adler32 fdt://dtn2/run7/a.bin", "the checksum that a catalogue stores")
                .example("sum *.bin", "SHA-256 of files of this host, on all cores")
                .example("sum --json --type md5 fdt://dtn2/run7/a.bin", "in an object, under checksums");
    }

    private static Help mkdir() {
        return Help.of(FileOptions.OF_MKDIR)
                .takesPaths(false)
                .about("Makes each directory. Without -p it must be new and its parent must exist. The key must permit"
                        + " to write." + COMMON)
                .example("mkdir -p fdt://dtn2/run8/raw", "with its parents");
    }

    private static Help mv() {
        return Help.of(FileOptions.OF_ALL)
                .foreign("-f --force")
                .takesPaths(false)
                .about("Renames FROM to exactly TO, in one step, within one exported directory and file system. A file"
                        + " at TO is replaced. The new name is on disk when the command ends. The key must permit to"
                        + " write and to delete." + COMMON)
                .example("mv fdt://dtn2/in/x.new fdt://dtn2/in/x", "readers see the old x or the new one");
    }

    private static Help rm() {
        return Help.of(FileOptions.OF_RM)
                .foreign("-f --force : nothing is asked, and a path that does not exist is a failure; leave it out")
                .takesPaths(false)
                .about("Removes each file and empty directory, and with -r each directory with its contents."
                        + " Links are removed, not followed. What a running copy is writing stays. The key must"
                        + " permit to delete." + COMMON)
                .example("rm fdt://dtn2/run7/a.bin fdt://dtn2/run7/b.bin", "two files in one call")
                .example("rm -r fdt://dtn2/run7", "a directory");
    }

    private static Help df() {
        return Help.of(FileOptions.OF_ALL)
                .foreign(OtherTools.OF_SIZES)
                .takesPaths(false)
                .about("Shows the free space and inodes on the file system of each path, or of every exported directory"
                        + " that the key may reach. With --json each is an object of type space. The key must permit to"
                        + " list." + COMMON)
                .example("df fdt://dtn2", "of all exported directories");
    }

    @Override
    protected Help help() {
        return text.get();
    }

    @Override
    public int run(List<String> args, Context context) {
        return PlainRun.run(this, args, context, (given, settings, json) -> {
            FileRequest request = FileRequest.of(action, name(), operands(), given, settings);
            try (FileRun run = new FileRun(request, context, new FileView(context.console(), request, json))) {
                return JobRun.run(context, run, request.verbose(), STOPPING, PATIENCE_MS);
            }
        });
    }
}
