package io.fdt.core.security;

import io.fdt.core.failure.Cause;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Objects;

/** The token for viewers of a monitor whose operator gave none, in the file {@code monitor-token} of a home. */
public record MonitorToken(String text, Path file) {
    private static final int BYTES = 32;

    /** Returns the home's token, and creates it if there is none. Its file is readable by its user only. */
    public static MonitorToken loadOrCreate(Path home) {
        SecretFile file = new SecretFile(home, "monitor-token");
        String known = file.read();
        if (known == null) {
            String made = HexFormat.of().formatHex(Secrets.random(BYTES));
            known = file.create(made + "\n") ? made : Objects.requireNonNull(file.read());
        }
        if (known.strip().length() < 2 * BYTES) {
            throw Cause.USAGE.failure(file.path() + " contains no token; remove it, and a new one is made");
        }
        return new MonitorToken(known.strip(), file.path());
    }
}
