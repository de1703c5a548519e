package io.fdt.core.transfer.sending;

import io.fdt.core.plan.ChunkQueue;
import java.util.Map;

/**
 * Ends sending lanes without resending anything: a lane that retires claims no more chunks, and is closed when
 * everything that it sent is acknowledged. So the session never has more lanes than agreed. For the session's thread.
 *
 * @param lanes by key, always up to date
 */
record Retirement(Map<Integer, OpenLane> lanes, ChunkQueue queue) {
    /** Retires the lane with this number. No effect if there is none, or if it is the last one that works. */
    void retire(int index) {
        for (OpenLane lane : lanes.values()) {
            if (lane.index == index && !lane.retiring && working() > 1) {
                lane.retiring = true;
                lane.sending.retire();
            }
        }
    }

    void retireFrom(int index) {
        for (OpenLane lane : lanes.values()) {
            if (lane.index >= index) {
                retire(lane.index);
            }
        }
    }

    private long working() {
        return lanes.values().stream().filter(lane -> !lane.retiring).count();
    }

    /** Closes retired lanes that have nothing left to wait for. */
    void check() {
        lanes.forEach((key, lane) -> {
            if (lane.retiring && lane.sending.isRetired() && !queue.hasClaims(key)) {
                lane.lane.close();
            }
        });
    }
}
