package io.fdt.core.nettest;

import io.fdt.core.basic.Word;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.SideState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How one side moved the bytes of a test. */
public enum LaneMode {
    /** Each lane's thread called the kernel itself. */
    DIRECT,
    /** At least one lane used blocks and handlers, as a copy does. */
    BLOCKS,
    UNKNOWN;

    /** Null if it is unknown. */
    public @Nullable String word() {
        return this == UNKNOWN ? null : Word.of(this);
    }

    /** The common mode, or else {@link #BLOCKS}. */
    public static LaneMode ofAll(List<LaneMode> ways) {
        return ways.stream().distinct().count() == 1 ? ways.get(0) : ways.contains(UNKNOWN) ? UNKNOWN : BLOCKS;
    }

    public static LaneMode of(@Nullable SideState side) {
        if (side == null || side.lanes().isEmpty()) {
            return UNKNOWN;
        }
        return side.lanes().stream().allMatch(LaneState::direct) ? DIRECT : BLOCKS;
    }
}
