package io.fdt.core.stats;

/**
 * The time that one core has spent on each kind of work since some starting point.
 *
 * @param userMs in programs, including niced ones
 * @param softirqMs in the kernel's deferred work; on a busy network, mostly packets
 * @param otherMs in interrupts, and stolen by a hypervisor
 * @param idleMs idle, including waiting for disks
 */
public record CoreTimes(int core, long userMs, long systemMs, long softirqMs, long otherMs, long idleMs) {
    /**
     * Returns the increase since an earlier sample of this core. Never negative, although the kernel's counters can go
     * back.
     */
    public CoreTimes since(CoreTimes earlier) {
        return new CoreTimes(
                core,
                Math.max(0, userMs - earlier.userMs),
                Math.max(0, systemMs - earlier.systemMs),
                Math.max(0, softirqMs - earlier.softirqMs),
                Math.max(0, otherMs - earlier.otherMs),
                Math.max(0, idleMs - earlier.idleMs));
    }

    public long totalMs() {
        return userMs + systemMs + softirqMs + otherMs + idleMs;
    }

    public double share(long partMs) {
        return totalMs() == 0 ? 0 : (double) partMs / totalMs();
    }

    public double busy() {
        return totalMs() == 0 ? 0 : 1 - share(idleMs);
    }
}
