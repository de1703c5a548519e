package io.fdt.core.security;

import io.fdt.core.failure.Cause;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;

/** The default directory of a user's identity, keys and config. */
public final class Home {
    private static final String VARIABLE = "FDT_HOME";

    private Home() {}

    /** Returns {@code $FDT_HOME}, or {@code fdt} below {@code $XDG_CONFIG_HOME}, or {@code ~/.config/fdt}. */
    public static Path directory(Map<String, String> environment) {
        String home = environment.getOrDefault(VARIABLE, "");
        if (!home.isEmpty()) {
            return path(VARIABLE, home);
        }
        String xdg = environment.getOrDefault("XDG_CONFIG_HOME", "");
        // The XDG specification requires that relative paths are ignored.
        if (xdg.startsWith("/")) {
            return path("XDG_CONFIG_HOME", xdg).resolve("fdt");
        }
        String user = environment.getOrDefault("HOME", "");
        if (user.isEmpty()) {
            user = System.getProperty("user.home", ".");
        }
        return path("HOME", user).resolve(".config").resolve("fdt");
    }

    private static Path path(String variable, String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw Cause.USAGE.failure(
                    variable + "='" + text.replaceAll("[^ -~]", "?")
                            + "': Java cannot open this name in this locale; set LC_ALL=C.UTF-8 or use a plain name",
                    e);
        }
    }
}
