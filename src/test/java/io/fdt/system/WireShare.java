package io.fdt.system;

/** What a host sent or received over its wires {@code wire0} and {@code wire1} since a moment. */
final class WireShare {
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
}
