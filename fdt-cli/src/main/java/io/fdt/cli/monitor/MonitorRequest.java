package io.fdt.cli.monitor;

import io.fdt.cli.option.MonitorOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.Words;
import io.fdt.monitor.PushTarget;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was asked for of monitoring, checked.
 *
 * @param address where to serve the page; null for nowhere
 * @param token that watchers must show; null for none
 * @param targets where to push figures
 * @param recording where to write every sample; null for nowhere
 * @param tellsHost whether the other end of a session may see what this host does
 */
public record MonitorRequest(
        @Nullable HostPort address,
        @Nullable String token,
        List<PushTarget> targets,
        @Nullable Path recording,
        boolean tellsHost) {
    private static final int MIN_TOKEN_LENGTH = 16;

    /** Of a command that has sessions. */
    public static MonitorRequest of(Settings settings, Map<String, String> environment) {
        return of(
                settings,
                MonitorOptions.MONITOR,
                settings.get(MonitorOptions.TELL_HOST, word -> word.equals("allow")),
                environment);
    }

    /** Of a command that has none, and whose option has another default. */
    static MonitorRequest of(Settings settings, Option monitor, Map<String, String> environment) {
        return of(settings, monitor, false, environment);
    }

    private static MonitorRequest of(
            Settings settings, Option monitor, boolean tellsHost, Map<String, String> environment) {
        return new MonitorRequest(
                settings.find(monitor, HostPort::parseListen),
                settings.find(MonitorOptions.TOKEN_FILE, MonitorRequest::token),
                settings.all(MonitorOptions.PUSH, url -> target(url, environment)),
                settings.find(MonitorOptions.RECORD, Words::file),
                tellsHost);
    }

    boolean isAsked() {
        return address != null || recording != null || !targets.isEmpty();
    }

    private static PushTarget target(String url, Map<String, String> environment) throws BadValueException {
        try {
            return PushTarget.of(url, environment);
        } catch (IllegalArgumentException misfit) {
            throw new BadValueException(String.valueOf(misfit.getMessage()));
        }
    }

    private static String token(String file) throws BadValueException {
        try {
            String token =
                    Files.readString(Path.of(file), StandardCharsets.UTF_8).strip();
            if (token.length() < MIN_TOKEN_LENGTH || !token.matches("[A-Za-z0-9._~+/-]+")) {
                throw new BadValueException("holds no token: " + MIN_TOKEN_LENGTH
                        + " letters and digits or more, for example from openssl rand -hex 32");
            }
            return token;
        } catch (IOException | InvalidPathException unreadable) {
            throw new BadValueException("cannot be read: " + unreadable.getMessage());
        }
    }
}
