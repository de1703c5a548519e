package io.fdt.cli.option;

import io.fdt.cli.value.HashWords;
import io.fdt.cli.value.Rates;
import io.fdt.core.plan.TargetRules.Preserve;
import java.util.List;
import java.util.stream.Stream;

/** The options of {@code client}, in the order of its help. */
public final class ClientOptions {
    private static final Section SELECTION = new Section("What to copy", true);
    private static final Section SELECTION_ONCE = SELECTION.commandLineOnly();
    private static final Section TARGET = new Section("On the target", true);
    private static final Section TARGET_ONCE = TARGET.commandLineOnly();
    private static final Section TRANSFER = new Section("How to move it", true);
    private static final Section OVER_SSH = new Section("Over ssh, to USER@HOST:PATH", true);
    private static final Section OVER_SSH_ONCE = OVER_SSH.commandLineOnly();

    public static final Option FILES_FROM = SELECTION_ONCE.value(
            "--files-from FILE|-", "copy only the paths listed in FILE, relative to the one source");
    public static final Option PAIRS = SELECTION_ONCE.value(
            "--pairs FILE|-",
            "copy many sources to as many targets: each line of FILE has a source, a tab, and the exact path of its"
                    + " copy");
    public static final Option NUL = SELECTION_ONCE.toggle(
            "-0, --null", "entries of the list of --files-from or --pairs are separated by NUL bytes");
    public static final Option RELATIVE = SELECTION_ONCE.toggle(
            "--relative", "continue the path of each source below the target; of DIR/./PATH only PATH");
    public static final Option INCLUDE = SELECTION_ONCE.list(
            "--include GLOB", "copy matching paths; the first --include or --exclude that matches decides");
    public static final Option EXCLUDE = SELECTION_ONCE.list("--exclude GLOB", "skip matching paths");
    public static final Option INCLUDE_FROM = SELECTION_ONCE.list(
            "--include-from FILE|-", "include the patterns in FILE, one per line; # starts a comment line");
    public static final Option EXCLUDE_FROM = SELECTION_ONCE.list(
            "--exclude-from FILE|-", "exclude the patterns in FILE, one per line; # starts a comment line");
    public static final Option MIN_SIZE = SELECTION_ONCE.value("--min-size SIZE", "skip smaller files");
    public static final Option MAX_SIZE = SELECTION_ONCE.value("--max-size SIZE", "skip larger files");
    public static final Option NEWER = SELECTION_ONCE.value(
            "--newer TIME",
            "copy only files modified after this: a date, 2030-12-31 or 2030-12-31T18:00:00Z, or a time ago,"
                    + " such as 7d");
    public static final Option RANGE = SELECTION_ONCE.value(
            "--range OFFSET:LENGTH",
            "copy only this part of the only source, a file; without LENGTH, up to its end. The copy has no times of"
                    + " its source, and does not resume");
    public static final Option SIZE = SELECTION_ONCE.value("--size SIZE", "how many bytes to send from /dev/zero");
    public static final Option DURATION = SELECTION_ONCE.value("--duration TIME", "how long to send from /dev/zero");
    public static final Option DRY_RUN = SELECTION_ONCE.toggle(
            "-n, --dry-run", "list on stdout what would be copied or deleted, with totals; change nothing");

    public static final Option SHARD = SELECTION_ONCE.value(
            "--shard DIR/K",
            "copy shard K of the job that fdt shard plan wrote to DIR. A shard has its own sources, so give"
                    + " only TARGET, or several TARGETs separated by commas: the shard uses number K modulo"
                    + " their count");
    public static final Option TARGET_MAP = SELECTION_ONCE.value(
            "--target-map FILE",
            "with --shard: a file with one server per line, HOST[:PORT] or fdt://HOST[:PORT]/PATH; for"
                    + " HOST[:PORT] entries, TARGET is the path");

    public static final Option COPY_LINKS = SELECTION.toggle(
            "--copy-links", "copy what symbolic links lead to in place of the links; on a server only below its root");
    public static final Option ONE_FILE_SYSTEM = SELECTION_ONCE.toggle(
            "--one-file-system", "leave out mount points and everything below them; --delete keeps them in the target");
    public static final Option CHMOD = SELECTION_ONCE.value(
            "--chmod CHANGES",
            "change the modes that are copied, as chmod does: 755, D755,F644 or ug+rwX,o-w; D is for directories only,"
                    + " F for files only");
    public static final Option GROWING = SELECTION.choice(
            "--growing fail|snapshot",
            "fail",
            "files that grow during the copy: fail, or copy them up to the size that they had when listed");
    public static final Option REMOVE_SOURCE = SELECTION_ONCE.toggle(
            "--remove-source", "at the end, remove the local source files whose copies are verified and durable");
    public static final Option WATCH = SELECTION_ONCE.toggle(
            "--watch",
            "keep running, and copy the files of the one source directory, each when it is complete: closed or renamed"
                    + " into place, and not changing any more; until Ctrl-C or SIGTERM");
    public static final Option EXISTING = TARGET.choice(
            "--existing skip-same|overwrite|skip|fail",
            "skip-same",
            "what to do if a file already exists in the target");
    public static final Option COMPARE = TARGET.choice(
            "--compare time|digest",
            "time",
            "when a file counts as the same: equal size and time, or equal digest of its data");
    public static final Option SIZE_ONLY = TARGET_ONCE.toggle(
            "--size-only", "a file counts as the same if its size is equal, whatever its time and data");
    public static final Option UPDATE =
            TARGET.toggle("--update", "skip files that are newer in the target, whatever --existing says");
    public static final Option KEEP_DIRLINKS = TARGET_ONCE.toggle(
            "--keep-dirlinks",
            "where the source has a directory, follow a link in the target to a directory, on a server only below its"
                    + " root, if root or fdt's own user made it; without this, the directory replaces the link");
    public static final Option RESUME = TARGET.toggleOn(
            "--resume",
            "resume where an earlier run left off; --no-resume and --compare digest start every file"
                    + " from the beginning");
    public static final Option DURABLE = TARGET.choice(
            "--durable end|chunk|none",
            "end",
            "when to flush data to the device: before a file gets its final name, chunk by chunk, or never");
    public static final Option DIRECT_IO = TARGET.choice(
            "--direct-io auto|always|never",
            "auto",
            "which files bypass the page cache of the receiver; auto: flushed files of 256 MiB or more"
                    + " on non-rotational disks");
    public static final Option PRESERVE = TARGET.words(
            "--preserve LIST",
            "mode,times,links",
            Stream.concat(Preserve.words().stream(), Stream.of("all", "none")).toList(),
            "metadata to preserve: " + String.join(", ", Preserve.words()) + ", all or none;"
                    + " unless this or --chmod is set, the umask applies to the modes of a pull");

    public static final Option DELETE = TARGET_ONCE.toggle(
            "--delete",
            "at the end, delete from the target what the source does not have, below the directories that are copied");
    public static final Option DELETE_EXCLUDED =
            TARGET_ONCE.toggle("--delete-excluded", "with --delete: also delete what the selection leaves out");
    public static final Option MAX_DELETE = TARGET_ONCE.value(
            "--max-delete N",
            "none",
            "with --delete: if there are more than N files to delete, delete nothing and stop with exit code 10");

    public static final Option LANES = TRANSFER.value(
            "-P, --lanes N",
            "auto",
            "parallel lanes, 1 to 256; auto finds the number while it copies, 1 to 64; auto:MIN..MAX"
                    + " sets other bounds");
    public static final Option RATE_LIMIT = TRANSFER.value("--rate-limit RATE", Rates.NONE, "send no faster than this");
    public static final Option RETRY = TRANSFER.value(
            "--retry TIME|forever",
            "if the connection fails, sources change or another copy writes the target, try again and resume, until"
                    + " TIME has passed; not with --watch or batch");
    public static final Option DETACH = SELECTION_ONCE.toggle(
            "--detach",
            "between two servers: end as soon as the copy runs, and print its id for fdt jobs; the server retries it");
    public static final Option MAX_BYTES =
            TRANSFER.value("--max-bytes SIZE", "none", "stop with exit code 10 before copying more than this");
    public static final Option MAX_ENTRIES = TRANSFER.value(
            "--max-entries N", "none", "stop with exit code 10 if there are more files and directories than this");
    public static final Option DIGEST =
            TRANSFER.choice("--digest xxh3|crc32c|sha256|none", "xxh3", "hash that verifies every chunk and file");
    public static final Option CHECKSUM = TRANSFER.words(
            "--checksum TYPE[,TYPE...]",
            "none",
            List.of("adler32", "crc32c", "crc32", "md5", "sha256", "none"),
            "checksums of whole files for the receipt, --json=files and the server's log: adler32, crc32c and crc32"
                    + " are computed while the bytes pass, at both ends; md5 and sha256 after the copy, for the"
                    + " receipt");
    public static final Option CLEAR_LANES =
            TRANSFER.toggle("--clear-lanes", "send data unencrypted if the server allows it; it is still hashed");
    public static final Option CHUNK_SIZE =
            TRANSFER.value("--chunk-size SIZE", "8MiB", "unit of resuming: a power of two from 128KiB to 8MiB");

    public static final Option TRANSPORT = CommonOptions.NETWORK.choice(
            "--transport tcp|rdma|auto",
            "auto",
            "transport for the lanes; auto is rdma if both ends have it and lanes may be clear, otherwise tcp");
    public static final Option BIND =
            CommonOptions.NETWORK.value("--bind ADDR[,ADDR]", "spread the lanes over these local addresses");

    public static final Option TIMEOUT = CommonOptions.NETWORK.value(
            "--timeout TIME",
            "10m",
            "give up on a peer that is silent for this long, 1s to 1h; until then, the copy reconnects");

    public static final Option SCITAG = CommonOptions.NETWORK.value(
            "--scitag EXPERIMENT.ACTIVITY",
            "tell the networks what the copy is for: send datagrams of scitags.org (fireflies) about each lane to"
                    + " port 10514 of the remote end, with these names or numbers of the registry");

    public static final Option RECEIPT = CommonOptions.OUTPUT_ONCE.value(
            "--receipt FILE", "write a receipt: every file of the copy with its digest");
    public static final Option ON_COMPLETE = CommonOptions.OUTPUT.value(
            "--on-complete COMMAND",
            "at the end, run this command, without a shell, with the summary as a JSON line on standard input");
    public static final Option MANIFEST = CommonOptions.OUTPUT_ONCE.value(
            "--manifest KIND=FILE",
            "after a complete copy, write FILE for sha256sum -c and its like; KIND is one of " + HashWords.words());
    public static final Option JSON = CommonOptions.OUTPUT.toggleWithValue(
            "--json files", "false", "print one JSON object per line to stdout; =files adds one for every file");
    public static final Option PROGRESS = CommonOptions.OUTPUT.choice(
            "--progress auto|bar|plain|none",
            "auto",
            "how to show progress on stderr; auto is a bar on a terminal, otherwise plain lines");

    public static final Option SSH =
            OVER_SSH.value("-e, --ssh COMMAND", "ssh", "ssh command for USER@HOST:PATH, with its options");
    public static final Option REMOTE_COMMAND = OVER_SSH.value(
            "--remote-command COMMAND", "fdt", "command that runs fdt on the remote host, such as 'java -jar fdt.jar'");
    public static final Option REMOTE_ADDRESS = OVER_SSH.value(
            "--remote-address HOST[:PORT]",
            "address for the lanes and the port on which the remote end listens, instead of ssh's host"
                    + " and a free port");
    public static final Option TUNNEL = OVER_SSH.toggle(
            "--tunnel", "send lanes through the ssh connection, for hosts with only the ssh port open; slower");

    public static final Option BOOTSTRAP = OVER_SSH_ONCE.toggle(
            "--bootstrap",
            "bring this fdt to the remote host first, into ~/.cache/fdt there; with its Java if it has one, otherwise"
                    + " Java must be there");

    public static final List<Option> ALL = Option.together(
            SELECTION.options(),
            TARGET.options(),
            TRANSFER.options(),
            OVER_SSH.options(),
            List.of(CommonOptions.PIN, TRANSPORT, BIND, SCITAG),
            CommonOptions.TOKENS,
            CommonOptions.SOCKETS,
            List.of(CommonOptions.ADDRESSES, TIMEOUT),
            RdmaOptions.LANES,
            MonitorOptions.OF_CLIENTS,
            List.of(MonitorOptions.TUI, RECEIPT, MANIFEST, ON_COMPLETE, JSON, PROGRESS),
            CommonOptions.LOG,
            List.of(CommonOptions.VERBOSE, CommonOptions.QUIET, CommonOptions.HELP));

    /** Options that define what is copied; a shard defines that itself. */
    public static final List<Option> OF_SELECTIONS = Option.together(
            SELECTION.options().stream()
                    .filter(option -> !option.equals(SHARD) && !option.equals(TARGET_MAP))
                    .toList(),
            List.of(DELETE));

    /** Options for most copies. */
    public static final List<Option> COMMON = List.of(
            INCLUDE,
            EXCLUDE,
            FILES_FROM,
            DRY_RUN,
            PRESERVE,
            DELETE,
            LANES,
            RATE_LIMIT,
            RETRY,
            RECEIPT,
            TUNNEL,
            JSON,
            PROGRESS,
            CommonOptions.VERBOSE,
            CommonOptions.QUIET,
            CommonOptions.HELP);

    private ClientOptions() {}
}
