package io.fdt.monitor;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** The build options of the kernel that affect the figures. */
final class KernelConfig {
    private static final String OPTION = "CONFIG_IRQ_TIME_ACCOUNTING";

    private KernelConfig() {}

    /**
     * Whether interrupts are timed; otherwise whatever runs at a timer tick is charged the whole tick. Null if unknown.
     */
    static @Nullable Boolean irqTimeAccounting(Path root, String release) {
        for (String name : List.of("proc/config.gz", "boot/config-" + release)) {
            Path file = root.resolve(name);
            if (Files.isReadable(file)) {
                try (InputStream in = Files.newInputStream(file);
                        InputStream text = name.endsWith(".gz") ? new GZIPInputStream(in) : in;
                        BufferedReader lines =
                                new BufferedReader(new InputStreamReader(text, StandardCharsets.ISO_8859_1))) {
                    return lines.lines().anyMatch(line -> line.equals(OPTION + "=y"));
                } catch (IOException | UncheckedIOException unreadable) {
                    // The other file may be readable.
                }
            }
        }
        return null;
    }
}
