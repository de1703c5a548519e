package io.fdt.core.storage.posix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** The kernel's boot id, read on first use, once per process. */
final class BootId {
    static final UUID VALUE = read();

    private BootId() {}

    private static UUID read() {
        try {
            return UUID.fromString(
                    Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip());
        } catch (IOException | IllegalArgumentException nobodyKnows) {
            // No other process gets this id, so none trusts the journals of this one.
            return UUID.randomUUID();
        }
    }
}
