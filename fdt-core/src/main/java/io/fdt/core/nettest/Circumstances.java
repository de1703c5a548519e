package io.fdt.core.nettest;

import io.fdt.core.stats.HostFacts;

/**
 * The figures of a result that do not depend on the suite.
 *
 * @param transport of the lanes, for display
 * @param seconds from the start until the last lane had ended
 * @param whole both sides have sent their last figures, and these agree
 * @param cpuSecondsLocal of this process
 * @param cpuSecondsRemote of the server's process; NaN if it did not send it
 * @param wayLocal how this side moved the bytes
 */
public record Circumstances(
        String transport,
        HostFacts local,
        HostFacts remote,
        double seconds,
        boolean whole,
        double cpuSecondsLocal,
        double cpuSecondsRemote,
        LaneMode wayLocal,
        LaneMode wayRemote) {
    /** Returns these figures for a test that is complete, or is not. */
    public Circumstances whole(boolean is) {
        return new Circumstances(
                transport, local, remote, seconds, is, cpuSecondsLocal, cpuSecondsRemote, wayLocal, wayRemote);
    }

    /** Returns these figures for the part of the test that counts. */
    public Circumstances counted(double ofSeconds, double cpuLocal, double cpuRemote) {
        return new Circumstances(transport, local, remote, ofSeconds, whole, cpuLocal, cpuRemote, wayLocal, wayRemote);
    }

    /** The first figures of a suite that shows how the bytes were moved. */
    public NamedFigures ways() {
        return new NamedFigures().with("way_local", wayLocal.word()).with("way_remote", wayRemote.word());
    }
}
