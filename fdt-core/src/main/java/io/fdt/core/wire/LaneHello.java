package io.fdt.core.wire;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The first bytes on a lane, from the client: its session and number, how often it has been opened, and a proof. */
public record LaneHello(byte[] sessionId, int lane, int attempt, byte[] proof) {
    public static final int LENGTH_BYTES = 72;
    public static final int SESSION_ID_BYTES = 16;
    public static final int PROOF_BYTES = 32;

    private static final long MAGIC = 0x4644544C414E4520L;

    public void write(ByteBuffer buffer) {
        buffer.putLong(MAGIC)
                .put(sessionId)
                .putInt(lane)
                .putInt(attempt)
                .put(proof)
                .putLong(0);
    }

    /** Reads at the buffer's position; null if the bytes are not a hello. */
    public static @Nullable LaneHello read(ByteBuffer buffer) {
        long magic = buffer.getLong();
        byte[] sessionId = new byte[SESSION_ID_BYTES];
        buffer.get(sessionId);
        int lane = buffer.getInt();
        int attempt = buffer.getInt();
        byte[] proof = new byte[PROOF_BYTES];
        buffer.get(proof);
        buffer.getLong();
        boolean sound = magic == MAGIC && lane >= 0 && lane < Bounds.MAX_LANES && attempt >= 0;
        return sound ? new LaneHello(sessionId, lane, attempt, proof) : null;
    }
}
