package io.fdt.core.host;

import io.fdt.core.stats.CoreTimes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The processor time of the cores and of this process, from {@code /proc}. Has no figures if {@code /proc} has none.
 * Thread-safe.
 */
public final class CpuUse {
    /** The kernel's clock tick for programs is 10 ms on every 64-bit Linux. */
    private static final long TICK_MS = 10;

    /**
     * An index of {@code /proc/self/stat}, counted from the state field, because the name before it may contain
     * anything.
     */
    private static final int USER_TICKS = 11;

    private static final int SYSTEM_TICKS = 12;

    private final HostFiles files;

    /** @param root contains {@code proc}; the root directory except in tests */
    public CpuUse(Path root) {
        this.files = new HostFiles(root);
    }

    /** Returns every online core, in the kernel's order; empty if the host does not show them. */
    public List<CoreTimes> cores() {
        List<CoreTimes> cores = new ArrayList<>();
        for (String line : files.lines("proc/stat")) {
            String[] fields = line.strip().split(" +");
            if (fields.length >= 8 && fields[0].matches("cpu\\d{1,6}")) {
                cores.add(core(fields));
            }
        }
        return cores;
    }

    /** Parses {@code cpuN user nice system idle iowait irq softirq steal guest guest_nice}; user includes guest. */
    private static CoreTimes core(String[] fields) {
        long steal = fields.length > 8 ? ms(fields[8]) : 0;
        return new CoreTimes(
                Integer.parseInt(fields[0].substring(3)),
                ms(fields[1]) + ms(fields[2]),
                ms(fields[3]),
                ms(fields[7]),
                ms(fields[6]) + steal,
                ms(fields[4]) + ms(fields[5]));
    }

    /** Returns the time that each core has spent since the earlier reading; omits cores that are not in it. */
    public static List<CoreTimes> between(List<CoreTimes> earlier, List<CoreTimes> later) {
        Map<Integer, CoreTimes> before = new HashMap<>();
        earlier.forEach(core -> before.put(core.core(), core));
        List<CoreTimes> spent = new ArrayList<>();
        for (CoreTimes core : later) {
            CoreTimes first = before.get(core.core());
            if (first != null) {
                spent.add(core.since(first));
            }
        }
        return spent;
    }

    /**
     * Returns the processor time of this process since its start, in steps of a tick; 0 if the host does not show it.
     */
    public long processNanos() {
        String[] fields = files.stat("proc/self/stat");
        return fields.length <= SYSTEM_TICKS ? 0 : (ms(fields[USER_TICKS]) + ms(fields[SYSTEM_TICKS])) * 1_000_000;
    }

    private static long ms(String ticks) {
        return ticks.matches("\\d{1,17}") ? Long.parseLong(ticks) * TICK_MS : 0;
    }
}
