package io.fdt.cli.option;

import java.util.List;

public final class JobsOptions {
    public static final List<Option> ALL = List.of(
            CommonOptions.TOKEN_FILE,
            CommonOptions.CA,
            CommonOptions.TIMEOUT,
            ClientOptions.RECEIPT,
            CommonOptions.JSON,
            ClientOptions.PROGRESS,
            CommonOptions.VERBOSE,
            CommonOptions.QUIET,
            CommonOptions.HELP);

    private JobsOptions() {}
}
