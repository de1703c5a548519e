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
                    "what client --receipt wrote: verify TREE, the copy's target, against it")
            .commandLineOnly()
            .in(COMPARISON);
    public static final Option EXTRA = Option.toggle(
                    "--extra", false, "with --receipt: what is in TREE and not in the receipt differs, too")
            .commandLineOnly()
            .in(COMPARISON);
    public static final Option METADATA = Option.toggle(
                    "--metadata", false, "compare modes and modification times, too")
            .in(COMPARISON);
    public static final Option DIGEST = Option.choice(
                    "--digest",
                    "xxh3",
                    List.of("xxh3", "crc32c", "sha256", "none"),
                    "the hash that contents of two trees are compared by; none compares sizes")
            .in(COMPARISON);

    public static final Option DEVICE = Option.toggle(
                    "--device", false, "read contents from the device, not from the page cache")
            .in(READING);
    public static final Option THREADS = Option.value(
                    "--threads", "N", "auto", "threads that hash, 1 to 256; auto is one a core, at most 16")
            .shortName("-P")
            .in(READING);

    public static final Option JSON = Option.toggle(
                    "--json", false, "one JSON object a line on stdout, one for every difference")
            .in(CommonOptions.OUTPUT);
    public static final Option VERBOSE = Option.toggle(
                    "--verbose", false, "list every difference, not only the first 20")
            .shortName("-v")
            .in(CommonOptions.OUTPUT);

    public static final List<Option> ALL = Option.together(
            List.of(
                    RECEIPT,
                    EXTRA,
                    METADATA,
                    DIGEST,
                    DEVICE,
                    THREADS,
                    CommonOptions.IO,
                    CommonOptions.TIMEOUT,
                    JSON,
                    ClientOptions.PROGRESS),
            CommonOptions.LOG,
            List.of(VERBOSE, CommonOptions.QUIET, CommonOptions.HELP));

    private VerifyOptions() {}
}
