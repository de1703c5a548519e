package io.fdt.core.transport;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Determines from the host's counters which of its links the lanes of one session use, and which of them should be
 * redialled. For the session's thread.
 */
public interface SpreadWatch {
    SpreadWatch NONE = (nowNanos, streams) -> Advice.NOTHING;

    /** Call it about once a second with the open lanes. */
    Advice look(long nowNanos, List<Stream> streams);

    /**
     * A lane at this moment.
     *
     * @param bytes of payload that all lanes with this number have moved in this session
     */
    record Stream(int lane, Lane.Ends ends, long bytes) {}

    /**
     * @param lanes to end in order and redial; usually none
     * @param note for display, about lanes that share a link whatever was tried; usually null
     */
    record Advice(List<Integer> lanes, @Nullable String note) {
        static final Advice NOTHING = new Advice(List.of(), null);

        public Advice {
            lanes = List.copyOf(lanes);
        }
    }

    /** A side's role in a session. */
    enum Role {
        SENDER,
        RECEIVER
    }
}
