package io.fdt.core.stats;

/**
 * What one core has spent its time on, counted from some beginning.
 *
 * @param userMs in programs, nice ones included
 * @param softirqMs in the kernel's deferred work, which on a busy network is packets
 * @param otherMs in interrupts, and taken by a hypervisor
 * @param idleMs waiting for disks included
 */
public record CoreTimes(int core, long userMs, long systemMs, long softirqMs, long otherMs, long idleMs) {
    /** What was added since an earlier look at this core; never negative, though the kernel's counters step back. */
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
