package io.fdt.cli.option;

import io.fdt.cli.value.Rates;
import java.util.List;

/** The options of {@code client}, in the order of its help. */
public final class ClientOptions {
    private static final String SELECTION = "What to copy";
    private static final String TARGET = "On the target";
    private static final String TRANSFER = "How to move it";
    private static final String OVER_SSH = "Over ssh, to USER@HOST:PATH";

    public static final Option FILES_FROM = Option.value(
                    "--files-from", "FILE|-", null, "copy only the paths listed in FILE, relative to the one source")
            .commandLineOnly()
            .in(SELECTION);
    public static final Option NUL = Option.toggle(
                    "--null", false, "entries of the --files-from list are separated by NUL bytes")
            .shortName("-0")
            .commandLineOnly()
            .in(SELECTION);
    public static final Option INCLUDE = Option.list(
                    "--include", "GLOB", "copy matching paths; the first --include or --exclude that matches decides")
            .commandLineOnly()
            .in(SELECTION);
    public static final Option EXCLUDE = Option.list("--exclude", "GLOB", "skip matching paths")
            .commandLineOnly()
            .in(SELECTION);
    public static final Option INCLUDE_FROM = Option.list(
                    "--include-from", "FILE|-", "include the patterns in FILE, one per line; # starts a comment line")
            .commandLineOnly()
            .in(SELECTION);
    public static final Option EXCLUDE_FROM = Option.list(
                    "--exclude-from", "FILE|-", "exclude the patterns in FILE, one per line; # starts a comment line")
            .commandLineOnly()
            .in(SELECTION);
    public static final Option MIN_SIZE = Option.value("--min-size", "SIZE", null, "skip smaller files")
            .commandLineOnly()
            .in(SELECTION);
    public static final Option MAX_SIZE = Option.value("--max-size", "SIZE", null, "skip larger files")
            .commandLineOnly()
            .in(SELECTION);
    public static final Option NEWER = Option.value(
                    "--newer",
                    "TIME",
                    null,
                    "copy only files modified after this: a date, 2030-12-31 or 2030-12-31T18:00:00Z, or a time ago,"
                            + " such as 7d")
            .commandLineOnly()
            .in(SELECTION);
    public static final Option SIZE = Option.value("--size", "SIZE", null, "how many bytes to send from /dev/zero")
            .commandLineOnly()
            .in(SELECTION);
    public static final Option DURATION = Option.value("--duration", "TIME", null, "how long to send from /dev/zero")
            .commandLineOnly()
            .in(SELECTION);
    public static final Option DRY_RUN = Option.toggle(
                    "--dry-run", false, "list on stdout what would be copied or deleted, with totals; change nothing")
            .shortName("-n")
            .commandLineOnly()
            .in(SELECTION);

    public static final Option SHARD = Option.value(
                    "--shard",
                    "DIR/K",
                    null,
                    "copy shard K of the job that fdt shard plan wrote to DIR. A shard has its own sources, so give"
                            + " only TARGET, or several TARGETs separated by commas: the shard uses number K modulo"
                            + " their count")
            .commandLineOnly()
            .in(SELECTION);

    public static final Option COPY_LINKS = Option.toggle(
                    "--copy-links",
                    false,
                    "copy what symbolic links lead to in place of the links; on a server only below its root")
            .in(SELECTION);
    public static final Option GROWING = Option.choice(
                    "--growing",
                    "fail",
                    List.of("fail", "snapshot"),
                    "files that grow during the copy: fail, or copy them up to the size that they had when listed")
            .in(SELECTION);
    public static final Option REMOVE_SOURCE = Option.toggle(
                    "--remove-source",
                    false,
                    "at the end, remove the local source files whose copies are verified and durable")
            .commandLineOnly()
            .in(SELECTION);
    public static final Option TARGET_MAP = Option.value(
                    "--target-map",
                    "FILE",
                    null,
                    "with --shard: a file with one server per line, HOST[:PORT] or fdt://HOST[:PORT]/PATH; for"
                            + " HOST[:PORT] entries, TARGET is the path")
            .commandLineOnly()
            .in(SELECTION);
    public static final Option EXISTING = Option.choice(
                    "--existing",
                    "skip-same",
                    List.of("skip-same", "overwrite", "skip", "fail"),
                    "what to do if a file already exists in the target")
            .in(TARGET);
    public static final Option COMPARE = Option.choice(
                    "--compare",
                    "time",
                    List.of("time", "digest"),
                    "when a file counts as the same: equal size and time, or equal digest of its data")
            .in(TARGET);
    public static final Option UPDATE = Option.toggle(
                    "--update", false, "skip files that are newer in the target, whatever --existing says")
            .in(TARGET);
    public static final Option RESUME = Option.toggle(
                    "--resume",
                    true,
                    "resume where an earlier run left off; --no-resume and --compare digest start every file"
                            + " from the beginning")
            .in(TARGET);
    public static final Option DURABLE = Option.choice(
                    "--durable",
                    "end",
                    List.of("end", "chunk", "none"),
                    "when to flush data to the device: before a file gets its final name, chunk by chunk, or never")
            .in(TARGET);
    public static final Option DIRECT_IO = Option.choice(
                    "--direct-io",
                    "auto",
                    List.of("auto", "always", "never"),
                    "which files bypass the page cache of the receiver; auto: flushed files of 256 MiB or more"
                            + " on non-rotational disks")
            .in(TARGET);
    public static final Option PRESERVE = Option.value(
                    "--preserve",
                    "LIST",
                    "mode,times,links",
                    "metadata to preserve: mode, times, links, xattrs, owner, acls, hardlinks, all or none")
            .in(TARGET);

    public static final Option DELETE = Option.toggle(
                    "--delete",
                    false,
                    "at the end, delete from the target what the source does not have, below the directories"
                            + " that are copied")
            .commandLineOnly()
            .in(TARGET);
    public static final Option DELETE_EXCLUDED = Option.toggle(
                    "--delete-excluded", false, "with --delete: also delete what the selection leaves out")
            .commandLineOnly()
            .in(TARGET);
    public static final Option MAX_DELETE = Option.value(
                    "--max-delete",
                    "N",
                    "none",
                    "with --delete: if there are more than N files to delete, delete nothing and stop with exit code"
                            + " 10")
            .commandLineOnly()
            .in(TARGET);

    public static final Option LANES = Option.value(
                    "--lanes",
                    "N",
                    "auto",
                    "parallel streams, 1 to 256; auto finds the number while it copies, from 4 to 64; auto:MIN..MAX"
                            + " sets other bounds")
            .shortName("-P")
            .in(TRANSFER);
    public static final Option RATE_LIMIT = Option.value("--rate-limit", "RATE", Rates.NONE, "send no faster than this")
            .in(TRANSFER);
    public static final Option RETRY = Option.value(
                    "--retry",
                    "TIME|forever",
                    null,
                    "if the connection fails or sources change, try again and resume, until TIME has passed since the"
                            + " start")
            .in(TRANSFER);
    public static final Option MAX_BYTES = Option.value(
                    "--max-bytes", "SIZE", "none", "stop with exit code 10 before copying more than this")
            .in(TRANSFER);
    public static final Option MAX_ENTRIES = Option.value(
                    "--max-entries",
                    "N",
                    "none",
                    "stop with exit code 10 if there are more files and directories than this")
            .in(TRANSFER);
    public static final Option DIGEST = Option.choice(
                    "--digest",
                    "xxh3",
                    List.of("xxh3", "crc32c", "sha256", "none"),
                    "hash that verifies every chunk and file")
            .in(TRANSFER);
    public static final Option CLEAR_LANES = Option.toggle(
                    "--clear-lanes", false, "send data unencrypted if the server allows it; it is still hashed")
            .in(TRANSFER);
    public static final Option CHUNK_SIZE = Option.value(
                    "--chunk-size", "SIZE", "8MiB", "unit of resuming: a power of two from 128KiB to 8MiB")
            .in(TRANSFER);

    public static final Option TRANSPORT = Option.choice(
                    "--transport",
                    "auto",
                    List.of("tcp", "rdma", "auto"),
                    "transport for the lanes; auto is rdma if both ends have it and lanes may be clear, otherwise tcp")
            .in(CommonOptions.NETWORK);
    public static final Option BIND = Option.value(
                    "--bind", "ADDR[,ADDR]", null, "spread the lanes over these local addresses")
            .in(CommonOptions.NETWORK);

    public static final Option RECEIPT = Option.value(
                    "--receipt", "FILE", null, "write a receipt: every file of the copy with its digest")
            .commandLineOnly()
            .in(CommonOptions.OUTPUT);
    public static final Option MANIFEST = Option.value(
                    "--manifest",
                    "KIND=FILE",
                    null,
                    "after a complete copy, hash every file here again and write FILE for sha256sum -c and its like;"
                            + " KIND is sha256, md5, adler32 or crc32c")
            .commandLineOnly()
            .in(CommonOptions.OUTPUT);
    public static final Option JSON = Option.toggleWithValue(
                    "--json",
                    "false",
                    List.of("files"),
                    "print one JSON object per line to stdout; =files adds one for every file")
            .in(CommonOptions.OUTPUT);
    public static final Option PROGRESS = Option.choice(
                    "--progress",
                    "auto",
                    List.of("auto", "bar", "plain", "none"),
                    "how to show progress on stderr; auto is a bar on a terminal, otherwise plain lines")
            .in(CommonOptions.OUTPUT);

    public static final Option SSH = Option.value(
                    "--ssh", "COMMAND", "ssh", "ssh command for USER@HOST:PATH, with its options")
            .shortName("-e")
            .in(OVER_SSH);
    public static final Option REMOTE_COMMAND = Option.value(
                    "--remote-command",
                    "COMMAND",
                    "fdt",
                    "command that runs fdt on the remote host, such as 'java -jar fdt.jar'")
            .in(OVER_SSH);
    public static final Option REMOTE_ADDRESS = Option.value(
                    "--remote-address",
                    "HOST[:PORT]",
                    null,
                    "address for the lanes and the port on which the remote end listens, instead of ssh's host"
                            + " and a free port")
            .in(OVER_SSH);
    public static final Option TUNNEL = Option.toggle(
                    "--tunnel",
                    false,
                    "send lanes through the ssh connection, for hosts with only the ssh port open; slower")
            .in(OVER_SSH);

    public static final List<Option> ALL = Option.together(
            List.of(
                    FILES_FROM,
                    NUL,
                    INCLUDE,
                    EXCLUDE,
                    INCLUDE_FROM,
                    EXCLUDE_FROM,
                    MIN_SIZE,
                    MAX_SIZE,
                    NEWER,
                    SIZE,
                    DURATION,
                    DRY_RUN,
                    SHARD,
                    TARGET_MAP,
                    COPY_LINKS,
                    GROWING,
                    REMOVE_SOURCE,
                    EXISTING,
                    COMPARE,
                    UPDATE,
                    RESUME,
                    DURABLE,
                    DIRECT_IO,
                    PRESERVE,
                    DELETE,
                    DELETE_EXCLUDED,
                    MAX_DELETE,
                    LANES,
                    RATE_LIMIT,
                    RETRY,
                    MAX_BYTES,
                    MAX_ENTRIES,
                    DIGEST,
                    CLEAR_LANES,
                    CHUNK_SIZE,
                    SSH,
                    REMOTE_COMMAND,
                    REMOTE_ADDRESS,
                    TUNNEL,
                    CommonOptions.PIN,
                    TRANSPORT,
                    BIND),
            CommonOptions.SOCKETS,
            RdmaOptions.LANES,
            MonitorOptions.OF_CLIENTS,
            List.of(MonitorOptions.TUI, RECEIPT, MANIFEST, JSON, PROGRESS),
            CommonOptions.LOG,
            List.of(CommonOptions.VERBOSE, CommonOptions.QUIET, CommonOptions.HELP_OR_ALL));

    /** What most copies need. */
    public static final List<Option> USUAL = List.of(
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
            CommonOptions.HELP_OR_ALL);

    private ClientOptions() {}
}
