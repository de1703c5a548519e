package io.fdt.cli.option;

import java.util.List;

/** The options of {@code stat}, {@code cat}, {@code sum}, {@code mkdir}, {@code mv}, {@code rm} and {@code df}. */
public final class FileOptions {
    private static final Section SUMS = new Section("What to compute", true);
    private static final Section NAMES = new Section("What to do", false);

    public static final Option TYPE = SUMS.choice(
            "--type adler32|crc32c|md5|sha256|xxh3", "sha256", "the checksum; xxh3 is the one of fdt's receipts");
    public static final Option PARENTS =
            NAMES.toggle("-p, --parents", "also create missing parents; existing directories are not an error");
    public static final Option RECURSIVE = NAMES.toggle("-r, --recursive", "remove directories and their contents");

    public static final List<Option> OF_ALL =
            Option.together(List.of(ClientOptions.SSH, ClientOptions.REMOTE_COMMAND), BatchOptions.ALL);

    /** What is printed is the files themselves. */
    public static final List<Option> OF_CAT =
            OF_ALL.stream().filter(option -> !option.equals(CommonOptions.JSON)).toList();

    public static final List<Option> OF_SUM = Option.together(List.of(TYPE), OF_ALL);
    public static final List<Option> OF_MKDIR = Option.together(List.of(PARENTS), OF_ALL);
    public static final List<Option> OF_RM = Option.together(List.of(RECURSIVE), OF_ALL);

    private FileOptions() {}
}
