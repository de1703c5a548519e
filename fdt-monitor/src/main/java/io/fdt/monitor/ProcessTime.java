package io.fdt.monitor;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/** The processor time of this process. */
final class ProcessTime {
    private static final double NANOS = 1e9;

    private final @Nullable OperatingSystemMXBean system =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    double seconds() {
        return system == null ? 0 : Math.max(0, system.getProcessCpuTime()) / NANOS;
    }
}
