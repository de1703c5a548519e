package io.fdt.cli.option;

import io.fdt.cli.value.HashWords;
import java.util.List;

/** The options of {@code verify}, in the order of its help. */
public final class VerifyOptions {
    private static final Section COMPARISON = new Section("What to compare", true);
    private static final Section COMPARISON_ONCE = COMPARISON.commandLineOnly();
    private static final Section READING = new Section("How to read it", true);

    public static final Option RECEIPT = COMPARISON_ONCE.value(
            "--receipt FILE", "verify TREE, the target of a copy, against this receipt of client --receipt");
    public static final Option MANIFEST = COMPARISON_ONCE.value(
            "--manifest KIND=FILE",
            "verify TREE against FILE, which client --manifest, sha256sum or md5sum wrote; KIND is one of "
                    + HashWords.words());
    public static final Option EXTRA = COMPARISON_ONCE.toggle(
            "--extra", "with --receipt or --manifest: files in TREE that it does not list are differences, too");
    public static final Option METADATA = COMPARISON.toggle("--metadata", "also compare modes and modification times");
    public static final Option DIGEST = COMPARISON.choice(
            "--digest xxh3|crc32c|sha256|none",
            "xxh3",
            "hash for comparing the contents of two trees; none compares only sizes");

    public static final Option DEVICE =
            READING.toggle("--device", "read contents from the device instead of the page cache");
    public static final Option THREADS =
            READING.value("-P, --threads N", "auto", "hashing threads, 1 to 256; auto is one per core, at most 16");

    public static final Option JSON =
            CommonOptions.OUTPUT.toggle("--json", "print one JSON object per line to stdout, one for each difference");
    public static final Option VERBOSE =
            CommonOptions.OUTPUT.toggle("-v, --verbose", "list every difference instead of the first 20");

    public static final List<Option> ALL = Option.together(
            COMPARISON.options(),
            READING.options(),
            List.of(
                    ClientOptions.SSH,
                    ClientOptions.REMOTE_COMMAND,
                    CommonOptions.TOKEN_FILE,
                    CommonOptions.CA,
                    CommonOptions.TIMEOUT,
                    JSON,
                    ClientOptions.PROGRESS),
            CommonOptions.LOG,
            List.of(VERBOSE, CommonOptions.QUIET, CommonOptions.HELP));

    private VerifyOptions() {}
}
