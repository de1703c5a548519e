package io.fdt.cli.option;

/**
 * Common options as commands have them that take no settings: neither the environment nor the config file gives them.
 */
public final class GivenOptions {
    public static final Option JSON = CommonOptions.JSON.commandLineOnly();
    public static final Option VERBOSE = CommonOptions.VERBOSE.commandLineOnly();
    public static final Option QUIET = CommonOptions.QUIET.commandLineOnly();

    private GivenOptions() {}
}
