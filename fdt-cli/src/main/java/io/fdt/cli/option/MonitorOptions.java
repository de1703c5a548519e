package io.fdt.cli.option;

import java.util.List;

/** The options of every command that can be monitored. */
public final class MonitorOptions {
    static final String SECTION = "Monitoring";

    public static final Option MONITOR = Option.value(
                    "--monitor", "HOST:PORT", null, "serve the live page and /metrics here; port 0 picks a free one")
            .in(SECTION);
    public static final Option TOKEN_FILE = Option.value(
                    "--monitor-token-file",
                    "FILE",
                    null,
                    "who watches must show the token in this file; needed for --monitor on other than loopback addresses")
            .in(SECTION);

    public static final Option PUSH = Option.list(
                    "--push",
                    "URL",
                    "push figures every second to otlp://HOST:PORT, influx://HOST:PORT/BUCKET,"
                            + " pushgateway://HOST:PORT/JOB or apmon://HOST:PORT")
            .in(SECTION);

    public static final Option RECORD = Option.value(
                    "--record",
                    "FILE",
                    null,
                    "write every sample to this file, behind what it holds; monitor --replay shows it")
            .in(SECTION);

    public static final Option TELL_HOST = Option.choice(
                    "--tell-host",
                    "allow",
                    List.of("allow", "refuse"),
                    "whether the other end of a session may see what the cores and NICs of this host do, when it is monitored")
            .in(SECTION);

    /** Who has the samples besides: watchers with a token, collectors, a file. */
    static final List<Option> WATCHERS = List.of(TOKEN_FILE, PUSH, RECORD);

    static final List<Option> ALL = Option.together(List.of(MONITOR), WATCHERS, List.of(TELL_HOST));

    private MonitorOptions() {}
}
