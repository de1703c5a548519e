package io.fdt.cli.option;

/** Common options for commands without settings: the environment and the config file do not set them. */
public final class GivenOptions {
    public static final Option JSON = CommonOptions.JSON.commandLineOnly();
    public static final Option VERBOSE = CommonOptions.VERBOSE.commandLineOnly();
    public static final Option QUIET = CommonOptions.QUIET.commandLineOnly();

    private GivenOptions() {}
}
