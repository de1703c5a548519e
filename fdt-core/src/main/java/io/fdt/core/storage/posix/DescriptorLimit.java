package io.fdt.core.storage.posix;

/**
 * How the descriptors that the process may have (RLIMIT_NOFILE) are divided: a quarter each for the files that sessions
 * write, for the directories that they hold, and for lanes. What is left is for links, the monitor, the log and the
 * process itself.
 */
public final class DescriptorLimit {
    private static final long PARTS = 4;

    private DescriptorLimit() {}

    /** A quarter of all. */
    public static int share() {
        return (int) Math.min(Integer.MAX_VALUE, Posix.descriptorsMax() / PARTS);
    }

    /** What one of the usual number of sessions may keep open because it may need it again; at most so many. */
    public static int ofSession(int most) {
        return Math.max(4, Math.min(most, share() / 32));
    }
}
