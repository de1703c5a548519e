package io.fdt.cli.monitor;

import io.fdt.cli.option.MonitorOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.BadValueException;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.AddressRules;
import io.fdt.monitor.push.PushTarget;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The checked options for monitoring.
 *
 * @param address of the page; null for no page
 * @param typedToken that viewers must present, or {@link #OPEN}; null if none was given
 * @param allowed networks from which viewers may connect, in addition to this host
 * @param targets to which metrics are pushed
 * @param recording the file for all samples; null for none
 * @param tellsHost whether the other end of a session receives the activity of this host
 */
public record MonitorRequest(
        @Nullable SocketAddress address,
        @Nullable String typedToken,
        AddressRules allowed,
        List<PushTarget> targets,
        @Nullable Path recording,
        boolean tellsHost,
        boolean onTerminal) {
    private static final int MIN_TOKEN_LENGTH = 16;
    /** In place of the file of a token: nobody needs one. Shorter than any token. */
    private static final String OPEN = "none";

    /** For a copy or a network test; throws USAGE if the terminal is also needed for something else. */
    public static MonitorRequest ofClient(Settings settings, boolean json, Map<String, String> environment) {
        refuseWithoutPage(settings, List.of(MonitorOptions.TOKEN_FILE, MonitorOptions.ALLOW));
        return ofSessions(settings, json, environment);
    }

    /**
     * Returns the request of a server, which has no result to push, and whose {@code --allow} applies to sessions as
     * well.
     */
    public static MonitorRequest ofServer(Settings settings, boolean json, Map<String, String> environment) {
        refuseWithoutPage(settings, List.of(MonitorOptions.TOKEN_FILE));
        return ofSessions(settings, json, environment).withoutResult();
    }

    /**
     * Returns the request of a command that has neither sessions nor a result, and whose option has another default.
     */
    static MonitorRequest of(Settings settings, Option monitor, Map<String, String> environment) {
        return of(settings, monitor, false, settings.on(MonitorOptions.TUI), environment)
                .withoutResult();
    }

    private static MonitorRequest ofSessions(Settings settings, boolean json, Map<String, String> environment) {
        boolean onTerminal = settings.on(MonitorOptions.TUI);
        if (onTerminal && json) {
            throw Cause.USAGE.failure("--tui and --json both write to standard output; leave one out");
        }
        boolean tellsHost = settings.word(MonitorOptions.TELL_HOST).equals("allow");
        return of(settings, MonitorOptions.MONITOR, tellsHost, onTerminal, environment);
    }

    private MonitorRequest withoutResult() {
        for (PushTarget target : targets) {
            if (target.kind() == PushTarget.PushProtocol.PUSHGATEWAY) {
                throw Cause.USAGE.failure(
                        "--push " + target.shown() + ": a Pushgateway accepts only results of client and"
                                + " nettest; let Prometheus scrape --monitor, or push to otlp:// or influx://");
            }
        }
        return this;
    }

    private static MonitorRequest of(
            Settings settings, Option monitor, boolean tellsHost, boolean onTerminal, Map<String, String> environment) {
        return new MonitorRequest(
                settings.find(monitor, ServedPage::parse),
                settings.find(MonitorOptions.TOKEN_FILE, MonitorRequest::token),
                AddressRules.parse(settings.all(MonitorOptions.ALLOW, MonitorOptions::network)),
                settings.all(MonitorOptions.PUSH, url -> target(url, environment)),
                settings.file(MonitorOptions.RECORD),
                tellsHost,
                onTerminal);
    }

    private static void refuseWithoutPage(Settings settings, List<Option> ofPage) {
        if (settings.find(MonitorOptions.MONITOR, ServedPage::parse) == null) {
            settings.given().refuse(ofPage, " applies only to --monitor; add it, or leave this out");
        }
    }

    /** The token that was given; null for none. */
    @Nullable String token() {
        return isOpen() ? null : typedToken;
    }

    /** Whether everybody may watch, without a token. */
    boolean isOpen() {
        return OPEN.equals(typedToken);
    }

    boolean isAsked() {
        return address != null || recording != null || !targets.isEmpty() || onTerminal;
    }

    private static PushTarget target(String url, Map<String, String> environment) throws BadValueException {
        try {
            return PushTarget.of(url, environment);
        } catch (IllegalArgumentException misfit) {
            throw new BadValueException(String.valueOf(misfit.getMessage()));
        }
    }

    private static String token(String file) throws BadValueException {
        if (file.equals(OPEN)) {
            return OPEN;
        }
        try {
            String token =
                    Files.readString(Path.of(file), StandardCharsets.UTF_8).strip();
            if (token.length() < MIN_TOKEN_LENGTH || !token.matches("[A-Za-z0-9._~+/-]+")) {
                throw new BadValueException("contains no token: write " + MIN_TOKEN_LENGTH
                        + " letters and digits or more, for example from openssl rand -hex 32");
            }
            return token;
        } catch (IOException | InvalidPathException unreadable) {
            throw new BadValueException("cannot be read: " + TransferException.reason(unreadable));
        }
    }
}
