package io.fdt.core.transport;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sees by the counters of the host over which of its wires the lanes of one session go, and says which of them had
 * better be dialled again. Belongs to the session's thread.
 */
public interface SpreadWatch {
    /** Nobody looks. */
    SpreadWatch NONE = (nowNanos, streams) -> Advice.NOTHING;

    /** To be called again and again, about once a second, with the lanes that are open. */
    Advice look(long nowNanos, List<Stream> streams);

    /**
     * A lane as it is now.
     *
     * @param bytes of payload that the lane of this number moved in this session, over whatever connection
     */
    record Stream(int lane, Lane.Ends ends, long bytes) {}

    /**
     * @param lanes to be ended in order and dialled again; mostly none
     * @param note for people, about lanes that stay together whatever was tried; null mostly
     */
    record Advice(List<Integer> lanes, @Nullable String note) {
        static final Advice NOTHING = new Advice(List.of(), null);

        public Advice {
            lanes = List.copyOf(lanes);
        }
    }

    /** What a side does with the payload of a session. */
    enum Role {
        SENDER,
        RECEIVER
    }
}
