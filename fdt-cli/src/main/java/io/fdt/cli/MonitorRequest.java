package io.fdt.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What was asked for of monitoring, checked.
 *
 * @param address where to serve the page; null for nowhere
 * @param token that watchers must show; null for none
 */
record MonitorRequest(@Nullable HostPort address, @Nullable String token) {
    private static final int MIN_TOKEN_LENGTH = 16;

    static MonitorRequest of(Settings settings) {
        return of(settings, MonitorOptions.MONITOR);
    }

    /** The same of a command whose option has another default. */
    static MonitorRequest of(Settings settings, Option monitor) {
        return new MonitorRequest(
                settings.find(monitor, HostPort::parseListen),
                settings.find(MonitorOptions.TOKEN_FILE, MonitorRequest::token));
    }

    boolean isAsked() {
        return address != null;
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
