package io.fdt.cli.option;

import java.util.List;

public final class BatchOptions {
    public static final List<Option> ALL = List.of(
            CommonOptions.TOKEN_FILE,
            CommonOptions.CA,
            CommonOptions.TIMEOUT,
            CommonOptions.JSON,
            CommonOptions.VERBOSE,
            CommonOptions.HELP);

    private BatchOptions() {}
}
