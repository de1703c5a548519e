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
    private static final Path ROOT = Path.of("/");
    private static final long PAGE_BYTES = HostSource.pageBytes(ROOT);
    private static final double MILLIS = 1e3;

    static ProcessFigures read() {
        double start = ManagementFactory.getRuntimeMXBean().getStartTime() / MILLIS;
        UnixOperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class);
        return new ProcessFigures(
                start,
                residentBytes(ROOT, PAGE_BYTES),
                system == null ? -1 : system.getOpenFileDescriptorCount(),
                system == null ? -1 : system.getMaxFileDescriptorCount());
    }

    static long residentBytes(Path root, long pageBytes) {
        try {
            String memory = Files.readString(root.resolve("proc/self/statm"));
            return Long.parseLong(memory.split(" ", -1)[1]) * pageBytes;
        } catch (IOException | RuntimeException unknown) {
            return -1;
        }
    }
}
