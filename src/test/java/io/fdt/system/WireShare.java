package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

/** What a host sent or received over its wires {@code wire0} and {@code wire1} since a moment. */
final class WireShare {
    private static final long STEP_BYTES = 8 << 20;
    private static final long MOST_BYTES = 5 * STEP_BYTES;

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

    /** What it sends from now on. */
    static WireShare ofSent(LabHost host) {
        return new WireShare(host, false);
    }

    /** What it receives from now on. */
    static WireShare ofReceived(LabHost host) {
        return new WireShare(host, true);
    }

    /** Both at one moment: in an emulated host the time between two readings is worth many packets. */
    private long[] read() {
        return received ? host.receivedBytes("wire0", "wire1") : host.sentBytes("wire0", "wire1");
    }

    long bytes() {
        long[] now = read();
        return now[0] - first + now[1] - second;
    }

    /** Of the first wire. */
    double share() {
        long[] now = read();
        return (double) (now[0] - first) / (now[0] - first + now[1] - second);
    }

    /** The share of the first wire while as many bytes go as say something. */
    double shareOf(long bytes, String when, FdtProcess copy) {
        LabBondTest.await(when, copy, () -> bytes() > bytes);
        double share = share();
        System.out.printf("%s: %.3f of the bytes on wire0%n", when, share);
        return share;
    }

    /**
     * Each wire carries half. Where all is emulated a lane may pause for a second, which is much of a few MiB and
     * little of many: so it is looked at until that is so, or has not been for long.
     */
    void assertHalf(String when, FdtProcess copy) {
        double share = shareOf(STEP_BYTES, when, copy);
        for (long bytes = 2 * STEP_BYTES; Math.abs(share - 0.5) > 0.05 && bytes <= MOST_BYTES; bytes += STEP_BYTES) {
            share = shareOf(bytes, when, copy);
        }
        assertThat(share).as(when).isBetween(0.45, 0.55);
    }
}
