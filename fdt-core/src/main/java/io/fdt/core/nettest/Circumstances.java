package io.fdt.core.nettest;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.stats.HostFacts;

/**
 * The figures of a result that do not depend on the suite.
 *
 * @param seconds from the start until the last lane had ended
 * @param whole both sides have sent their last figures, and these agree
 */
public record Circumstances(String transport, double seconds, boolean whole, Side local, Side remote) {
    /**
     * One side of a test.
     *
     * @param cpuSeconds of its process; NaN if it did not send it
     * @param way how it moved the bytes
     */
    public record Side(HostFacts host, double cpuSeconds, LaneMode way) {
        private Side spent(double seconds) {
            return new Side(host, seconds, way);
        }
    }

    /** Returns these figures for a test that is complete, or is not. */
    public Circumstances whole(boolean is) {
        return new Circumstances(transport, seconds, is, local, remote);
    }

    /** Returns these figures for the part of the test that counts. */
    public Circumstances counted(double ofSeconds, double cpuLocal, double cpuRemote) {
        return new Circumstances(transport, ofSeconds, whole, local.spent(cpuLocal), remote.spent(cpuRemote));
    }

    /** The first figures of a suite that shows how the bytes were moved. */
    public JsonObject ways() {
        return new JsonObject().with("way_local", local.way.word()).with("way_remote", remote.way.word());
    }
}
