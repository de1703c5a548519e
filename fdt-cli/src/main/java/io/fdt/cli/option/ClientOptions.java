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
                    "--files-from", "FILE|-", null, "copy only the paths listed in FILE, below the one source")
            .commandLineOnly()
            .in(SELECTION);
    public static final Option NUL = Option.toggle(
                    "--null", false, "the list of --files-from is separated by NUL bytes")
            .shortName("-0")
            .commandLineOnly()
            .in(SELECTION);
    public static final Option INCLUDE = Option.list(
                    "--include", "GLOB", "copy what matches; the first --include or --exclude that matches decides")
            .commandLineOnly()
            .in(SELECTION);
    public static final Option EXCLUDE = Option.list("--exclude", "GLOB", "leave out what matches")
            .commandLineOnly()
            .in(SELECTION);
    public static final Option SIZE = Option.value("--size", "SIZE", null, "how much of the source /dev/zero to send")
            .commandLineOnly()
            .in(SELECTION);
    public static final Option DURATION = Option.value(
                    "--duration", "TIME", null, "how long to send the source /dev/zero")
            .commandLineOnly()
            .in(SELECTION);
    public static final Option DRY_RUN = Option.toggle(
                    "--dry-run", false, "list on stdout what would be copied, move nothing")
            .shortName("-n")
            .commandLineOnly()
            .in(SELECTION);

    public static final Option SHARD = Option.value(
                    "--shard",
                    "DIR/K",
                    null,
                    "copy shard K of the job that fdt shard plan made in DIR; it has its own sources, so only TARGET"
                            + " follows, or several with commas between, of which it takes number K modulo their count")
            .commandLineOnly()
            .in(SELECTION);

    public static final Option TARGET_MAP = Option.value(
                    "--target-map",
                    "FILE",
                    null,
                    "with --shard: the servers, one a line, HOST[:PORT] or fdt://HOST[:PORT]/PATH; of the former TARGET"
                            + " is the path")
            .commandLineOnly()
            .in(SELECTION);
    public static final Option EXISTING = Option.choice(
                    "--existing",
                    "skip-same",
                    List.of("skip-same", "overwrite", "skip", "fail"),
                    "what to do with a file that is there already")
            .in(TARGET);
    public static final Option COMPARE = Option.choice(
                    "--compare",
                    "time",
                    List.of("time", "digest"),
                    "what makes a file the same: size and time, or the digest of its data")
            .in(TARGET);
    public static final Option RESUME = Option.toggle(
                    "--resume",
                    true,
                    "go on where an earlier run stopped; --no-resume and --compare digest start every file anew")
            .in(TARGET);
    public static final Option DURABLE = Option.choice(
                    "--durable",
                    "end",
                    List.of("end", "chunk", "none"),
                    "when data is flushed to the device: before a file gets its name, chunk by chunk, or never")
            .in(TARGET);
    public static final Option DIRECT_IO = Option.choice(
                    "--direct-io",
                    "auto",
                    List.of("auto", "always", "never"),
                    "which files are written past the page cache; auto is those from 256 MiB on that are flushed, to a"
                            + " disk of the receiving machine that does not rotate")
            .in(TARGET);
    public static final Option PRESERVE = Option.value(
                    "--preserve",
                    "LIST",
                    "mode,times,links",
                    "metadata to carry over: mode, times, links, xattrs, owner, all or none")
            .in(TARGET);

    public static final Option LANES = Option.value(
                    "--lanes", "N", "auto", "parallel streams, 1 to 256; auto is one a core, at least 4, at most 16")
            .shortName("-P")
            .in(TRANSFER);
    public static final Option RATE_LIMIT = Option.value("--rate-limit", "RATE", Rates.NONE, "send no faster than this")
            .in(TRANSFER);
    public static final Option MAX_BYTES = Option.value(
                    "--max-bytes", "SIZE", "none", "stop, with exit code 10, before more than this is moved")
            .in(TRANSFER);
    public static final Option MAX_ENTRIES = Option.value(
                    "--max-entries", "N", "none", "stop, with exit code 10, at more files and directories than this")
            .in(TRANSFER);
    public static final Option DIGEST = Option.choice(
                    "--digest",
                    "xxh3",
                    List.of("xxh3", "crc32c", "sha256", "none"),
                    "the hash that every chunk and file is checked with")
            .in(TRANSFER);
    public static final Option CLEAR_LANES = Option.toggle(
                    "--clear-lanes", false, "no encryption of the data, where the server allows it; hashes stay")
            .in(TRANSFER);
    public static final Option CHUNK_SIZE = Option.value(
                    "--chunk-size", "SIZE", "8MiB", "the unit of resuming, a power of two from 128KiB to 8MiB")
            .in(TRANSFER);

    public static final Option TRANSPORT = Option.choice(
                    "--transport",
                    "auto",
                    List.of("tcp", "rdma", "auto"),
                    "what carries the lanes; auto is rdma where both ends have it and lanes may be clear, else tcp")
            .in(CommonOptions.NETWORK);
    public static final Option BIND = Option.value(
                    "--bind", "ADDR[,ADDR]", null, "spread the lanes over these local addresses")
            .in(CommonOptions.NETWORK);

    public static final Option RECEIPT = Option.value(
                    "--receipt", "FILE", null, "write a receipt: what was moved, with digests")
            .commandLineOnly()
            .in(CommonOptions.OUTPUT);
    public static final Option JSON = Option.toggleWithValue(
                    "--json",
                    "false",
                    List.of("files"),
                    "one JSON object a line on stdout; with =files one for every file, too")
            .in(CommonOptions.OUTPUT);
    public static final Option PROGRESS = Option.choice(
                    "--progress",
                    "auto",
                    List.of("auto", "bar", "plain", "none"),
                    "how to show progress on stderr; auto is a bar on a terminal, else plain lines")
            .in(CommonOptions.OUTPUT);

    public static final Option SSH = Option.value(
                    "--ssh", "COMMAND", "ssh", "the ssh for USER@HOST:PATH, with its options")
            .shortName("-e")
            .in(OVER_SSH);
    public static final Option REMOTE_COMMAND = Option.value(
                    "--remote-command", "COMMAND", "fdt", "what runs fdt there, such as 'java -jar fdt.jar'")
            .in(OVER_SSH);
    public static final Option REMOTE_ADDRESS = Option.value(
                    "--remote-address",
                    "HOST[:PORT]",
                    null,
                    "where lanes go, and the port on which the far end waits for them, instead of ssh's host and a free"
                            + " port")
            .in(OVER_SSH);
    public static final Option TUNNEL = Option.toggle(
                    "--tunnel", false, "lanes go through the ssh connection, for hosts with one open port; slower")
            .in(OVER_SSH);

    public static final List<Option> ALL = Option.together(
            List.of(
                    FILES_FROM,
                    NUL,
                    INCLUDE,
                    EXCLUDE,
                    SIZE,
                    DURATION,
                    DRY_RUN,
                    SHARD,
                    TARGET_MAP,
                    EXISTING,
                    COMPARE,
                    RESUME,
                    DURABLE,
                    DIRECT_IO,
                    PRESERVE,
                    LANES,
                    RATE_LIMIT,
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
            MonitorOptions.ALL,
            List.of(RECEIPT, JSON, PROGRESS),
            CommonOptions.LOG,
            List.of(CommonOptions.VERBOSE, CommonOptions.QUIET, CommonOptions.HELP));

    private ClientOptions() {}
}
