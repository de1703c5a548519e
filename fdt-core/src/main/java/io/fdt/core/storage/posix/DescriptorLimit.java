package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.Libc;

/**
 * The division of the process's descriptors (RLIMIT_NOFILE): an eighth for the files that sessions write, and three
 * eighths for lanes and everything else that they hold. The rest is for links, the monitor, the log and the process.
 */
public final class DescriptorLimit {
    private static final long PARTS = 4;
    private static final int RLIMIT_NOFILE = 7;

    private DescriptorLimit() {}

    /** A quarter of the limit. */
    public static int share() {
        return (int) Math.min(Integer.MAX_VALUE, descriptorsMax() / PARTS);
    }

    /**
     * Returns how many descriptors a session may keep open for later use, with the usual number of sessions; at most
     * {@code most}.
     */
    public static int ofSession(int most) {
        return Math.max(4, Math.min(most, share() / 32));
    }

    private static long descriptorsMax() {
        Scratch scratch = Scratch.get();
        if (Libc.getrlimit(RLIMIT_NOFILE, scratch.data()) != 0) {
            return 1024;
        }
        long limit = scratch.bytes.getLong(Scratch.DATA);
        return limit < 0 ? Long.MAX_VALUE : limit;
    }
}
