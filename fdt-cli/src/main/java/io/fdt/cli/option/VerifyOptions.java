package io.fdt.cli.option;

import java.util.List;

/** The options of {@code verify}, in the order of its help. */
public final class VerifyOptions {
    private static final String COMPARISON = "What to compare";
    private static final String READING = "How to read it";

    public static final Option RECEIPT = Option.value(
                    "--receipt",
                    "FILE",
                    null,
                    "verify TREE, the target of a copy, against this receipt of client --receipt")
            .commandLineOnly()
            .in(COMPARISON);
    public static final Option MANIFEST = Option.value(
                    "--manifest",
                    "KIND=FILE",
                    null,
                    "verify TREE against FILE, which client --manifest, sha256sum or md5sum wrote; KIND is sha256, md5,"
                            + " adler32 or crc32c")
            .commandLineOnly()
            .in(COMPARISON);
    public static final Option EXTRA = Option.toggle(
                    "--extra",
                    false,
                    "with --receipt or --manifest: files in TREE that it does not list are differences, too")
            .commandLineOnly()
            .in(COMPARISON);
    public static final Option METADATA = Option.toggle(
                    "--metadata", false, "also compare modes and modification times")
            .in(COMPARISON);
    public static final Option DIGEST = Option.choice(
                    "--digest",
                    "xxh3",
                    List.of("xxh3", "crc32c", "sha256", "none"),
                    "hash for comparing the contents of two trees; none compares only sizes")
            .in(COMPARISON);

    public static final Option DEVICE = Option.toggle(
                    "--device", false, "read contents from the device instead of the page cache")
            .in(READING);
    public static final Option THREADS = Option.value(
                    "--threads", "N", "auto", "hashing threads, 1 to 256; auto is one per core, at most 16")
            .shortName("-P")
            .in(READING);

    public static final Option JSON = Option.toggle(
                    "--json", false, "print one JSON object per line to stdout, one for each difference")
            .in(CommonOptions.OUTPUT);
    public static final Option VERBOSE = Option.toggle(
                    "--verbose", false, "list every difference instead of the first 20")
            .shortName("-v")
            .in(CommonOptions.OUTPUT);

    public static final List<Option> ALL = Option.together(
            List.of(
                    RECEIPT,
                    MANIFEST,
                    EXTRA,
                    METADATA,
                    DIGEST,
                    DEVICE,
                    THREADS,
                    ClientOptions.SSH,
                    ClientOptions.REMOTE_COMMAND,
                    CommonOptions.IO,
                    CommonOptions.TIMEOUT,
                    JSON,
                    ClientOptions.PROGRESS),
            CommonOptions.LOG,
            List.of(VERBOSE, CommonOptions.QUIET, CommonOptions.HELP));

    private VerifyOptions() {}
}
