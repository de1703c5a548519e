package io.fdt.cli.option;

import io.fdt.cli.value.BadValueException;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.AddressRules;
import java.util.List;

/** The options of every command that can be monitored. */
public final class MonitorOptions {
    static final Section SECTION = new Section("Monitoring", true);
    static final Section SECTION_ONCE = SECTION.commandLineOnly();

    public static final Option MONITOR = SECTION.value(
            "--monitor HOST:PORT",
            "serve the live page and /metrics on this address; port 0 picks a free port, and unix:PATH is a socket that"
                    + " only this user and root can open");
    public static final Option TOKEN_FILE = SECTION.value(
            "--monitor-token-file FILE",
            "file with the token that viewers must present; beyond loopback a token in fdt's home is used without this,"
                    + " and none if FILE is none");

    /** The same name as the server's option, which applies to sessions and to the page. */
    public static final Option ALLOW = SECTION.list(
            "--allow NETWORK",
            "accept connections to --monitor only from these networks, such as 10.1.0.0/16 or"
                    + " 2001:db8::7; this host is always allowed");

    public static final Option PUSH = SECTION.list(
            "--push URL",
            "push metrics every second to otlp://HOST:PORT, influx://HOST:PORT/BUCKET or"
                    + " apmon://HOST:PORT, or the result of client and nettest to pushgateway://HOST:PORT/JOB");

    public static final Option RECORD =
            SECTION.value("--record FILE", "append every sample to this file; monitor --replay shows it");

    public static final Option TELL_HOST = SECTION.choice(
            "--tell-host allow|refuse", "allow", "let the remote end's monitor show this host's cores and NICs");

    public static final Option TUI = SECTION_ONCE.toggle(
            "--tui",
            "show sessions, cores, NICs and queues on this terminal; q closes the view, and server and client"
                    + " continue");

    /** Options for further receivers of samples: viewers with a token, collectors, and a file. */
    static final List<Option> WATCHERS = List.of(TOKEN_FILE, PUSH, RECORD);

    static final List<Option> ALL = Option.together(List.of(MONITOR), WATCHERS, List.of(TELL_HOST));

    /** Options for commands that listen on no other port. */
    static final List<Option> OF_CLIENTS = Option.together(ALL, List.of(ALLOW));

    private MonitorOptions() {}

    /** Checks a value of {@link #ALLOW} and returns it unchanged. */
    public static String network(String text) throws BadValueException {
        try {
            AddressRules.parse(List.of(text));
            return text;
        } catch (TransferException misfit) {
            throw new BadValueException(String.valueOf(misfit.getMessage()));
        }
    }
}
