package io.fdt.core.transfer.sending;

import io.fdt.core.plan.ChunkQueue;
import io.fdt.core.transport.Lane;
import java.util.HashMap;
import java.util.Map;

/**
 * Ends sending lanes without losing anything: a lane that retires claims no more, and is closed when all that it sent
 * is acknowledged. So nothing is sent again for its sake, and the session never has more lanes than were agreed.
 * Belongs to the session's thread.
 */
final class Retirement {
    private final ChunkQueue queue;
    private final Map<Integer, Entry> lanes = new HashMap<>();

    private static final class Entry {
        final int index;
        final Lane lane;
        final SenderLane sending;
        boolean retiring;

        Entry(int index, Lane lane, SenderLane sending) {
            this.index = index;
            this.lane = lane;
            this.sending = sending;
        }
    }

    Retirement(ChunkQueue queue) {
        this.queue = queue;
    }

    void onJoined(int key, int index, Lane lane, SenderLane sending) {
        lanes.put(key, new Entry(index, lane, sending));
    }

    void onClosed(int key) {
        lanes.remove(key);
    }

    /** The lane with this number is to end. Nothing happens if there is none, or if it is the last that works. */
    void retire(int index) {
        for (Entry entry : lanes.values()) {
            if (entry.index == index && !entry.retiring && working() > 1) {
                entry.retiring = true;
                entry.sending.retire();
            }
        }
    }

    /** The lanes from this number on are to end. */
    void retireFrom(int index) {
        for (Entry entry : lanes.values()) {
            if (entry.index >= index) {
                retire(entry.index);
            }
        }
    }

    private long working() {
        return lanes.values().stream().filter(entry -> !entry.retiring).count();
    }

    /** Closes those that have nothing left to wait for. */
    void check() {
        lanes.forEach((key, entry) -> {
            if (entry.retiring && entry.sending.isRetired() && !queue.hasClaims(key)) {
                entry.lane.close();
            }
        });
    }
}
