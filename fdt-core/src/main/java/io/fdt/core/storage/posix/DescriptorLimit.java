package io.fdt.core.storage.posix;

/**
 * The division of the process's descriptors (RLIMIT_NOFILE): a quarter each for the files that sessions write, for the
 * directories that they hold, and for lanes. The rest is for links, the monitor, the log and the process itself.
 */
public final class DescriptorLimit {
    private static final long PARTS = 4;

    private DescriptorLimit() {}

    /** A quarter of the limit. */
    public static int share() {
        return (int) Math.min(Integer.MAX_VALUE, Posix.descriptorsMax() / PARTS);
    }

    /**
     * Returns how many descriptors a session may keep open for later use, with the usual number of sessions; at most
     * {@code most}.
     */
    public static int ofSession(int most) {
        return Math.max(4, Math.min(most, share() / 32));
    }
}
