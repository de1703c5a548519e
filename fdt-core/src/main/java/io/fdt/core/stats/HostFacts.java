package io.fdt.core.stats;

/**
 * The hardware and software that a result was measured with, for its caption.
 *
 * @param software the version of fdt
 */
public record HostFacts(String software, String host, String kernel, Cpu cpu, Nic nic) {
    /** @param allowedCores on which the process may run */
    public record Cpu(String model, int cores, int allowedCores) {}

    /**
     * The NIC of a path.
     *
     * @param name empty if there is none
     * @param bitsPerSecond its speed; 0 if it has none or does not report it
     * @param slot a formula for the bandwidth of its PCIe slots; empty if unknown
     * @param slotBitsPerSecond the usable bandwidth of these slots together; 0 if unknown
     */
    public record Nic(String name, long bitsPerSecond, String slot, long slotBitsPerSecond) {
        public static final Nic NONE = new Nic("", 0, "", 0);
    }

    /** A host of which only the name is known. */
    public static HostFacts of(String host) {
        return new HostFacts("", host, "", new Cpu("", 0, 0), Nic.NONE);
    }
}
