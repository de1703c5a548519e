package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

/** The bytes that a host has sent or received over {@code wire0} and {@code wire1} since this object was created. */
final class WireShare {
    private static final long STEP_BYTES = 8 << 20;
    private static final long MAX_BYTES = 5 * STEP_BYTES;

    private final LabHost host;
    private final boolean received;
    private final long first;
    private final long second;

    private WireShare(LabHost host, boolean received) {
        this.host = host;
        this.received = received;
        long[] now = read();
        this.first = now[0];
        this.second = now[1];
    }

    /** Counts the bytes that the host sends from now on. */
    static WireShare ofSent(LabHost host) {
        return new WireShare(host, false);
    }

    /** Counts the bytes that the host receives from now on. */
    static WireShare ofReceived(LabHost host) {
        return new WireShare(host, true);
    }

    /** Reads both counters at the same time: on an emulated host many packets pass between two readings. */
    private long[] read() {
        return received ? host.receivedBytes("wire0", "wire1") : host.sentBytes("wire0", "wire1");
    }

    long bytes() {
        long[] now = read();
        return now[0] - first + now[1] - second;
    }

    double share() {
        long[] now = read();
        return (double) (now[0] - first) / (now[0] - first + now[1] - second);
    }

    /** Returns the share of the first wire after enough bytes have passed to make it meaningful. */
    double shareOf(long bytes, String when, FdtProcess copy) {
        LabBondTest.await(when, copy, () -> bytes() > bytes);
        double share = share();
        System.out.printf("%s: %.3f of the bytes on wire0%n", when, share);
        return share;
    }

    /**
     * Asserts that each wire carries half. In emulation a lane may pause for a second, which matters for a few MiB but
     * not for many. Therefore the check is repeated until it succeeds or enough bytes have passed.
     */
    void assertHalf(String when, FdtProcess copy) {
        double share = shareOf(STEP_BYTES, when, copy);
        for (long bytes = 2 * STEP_BYTES; Math.abs(share - 0.5) > 0.05 && bytes <= MAX_BYTES; bytes += STEP_BYTES) {
            share = shareOf(bytes, when, copy);
        }
        assertThat(share).as(when).isBetween(0.45, 0.55);
    }
}
