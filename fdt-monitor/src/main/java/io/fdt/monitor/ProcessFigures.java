package io.fdt.monitor;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * This process: when it started, its memory and its descriptors. Unknown figures are -1.
 *
 * @param residentBytes its physical memory
 */
record ProcessFigures(double startSeconds, long residentBytes, long openDescriptors, long maxDescriptors) {
    private static final Path MEMORY = Path.of("/proc/self/statm");
    private static final long PAGE_BYTES = 4096;
    private static final double MILLIS = 1e3;

    static ProcessFigures read() {
        double start = ManagementFactory.getRuntimeMXBean().getStartTime() / MILLIS;
        UnixOperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class);
        return new ProcessFigures(
                start,
                measuredBytes(),
                system == null ? -1 : system.getOpenFileDescriptorCount(),
                system == null ? -1 : system.getMaxFileDescriptorCount());
    }

    private static long measuredBytes() {
        try {
            return Long.parseLong(Files.readString(MEMORY).split(" ", -1)[1]) * PAGE_BYTES;
        } catch (IOException | RuntimeException unknown) {
            return -1;
        }
    }
}
