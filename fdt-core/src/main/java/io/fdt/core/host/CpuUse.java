package io.fdt.core.host;

import io.fdt.core.stats.CoreTimes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Processor time of the cores and of this process, from {@code /proc}. Where it does not, there are no figures.
 * Thread-safe.
 */
public final class CpuUse {
    /** The kernel's clock tick for programs is 10 ms on every 64-bit Linux. */
    private static final long TICK_MS = 10;

    /** Behind the name in {@code /proc/self/stat}, which may hold anything, counted from the state. */
    private static final int USER_TICKS = 11;

    private static final int SYSTEM_TICKS = 12;

    private final HostFiles files;

    /** What {@code root} holds as {@code proc}; the root directory but for tests. */
    public CpuUse(Path root) {
        this.files = new HostFiles(root);
    }

    /** Every core that is online, in its order; empty where the host does not say. */
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

    /** {@code cpuN user nice system idle iowait irq softirq steal guest guest_nice}; guests are among the users. */
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

    /** What each core has spent since the earlier look; a core that was not there then is left out. */
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

    /** The processor time of this process since its start, in steps of a tick; 0 where the host does not say. */
    public long processNanos() {
        String[] fields = files.stat("proc/self/stat");
        return fields.length <= SYSTEM_TICKS ? 0 : (ms(fields[USER_TICKS]) + ms(fields[SYSTEM_TICKS])) * 1_000_000;
    }

    private static long ms(String ticks) {
        return ticks.matches("\\d{1,17}") ? Long.parseLong(ticks) * TICK_MS : 0;
    }
}
