package io.fdt.core.nettest;

import io.fdt.core.wire.NettestMessage.SideState;
import org.jspecify.annotations.Nullable;

/** Compares what both sides counted. */
final class LaneCounts {
    private LaneCounts() {}

    /** What one side sent the other received, lane by lane; null when that is so. */
    static @Nullable String disagreement(SideState own, SideState peers) {
        if (own.lanes().size() != peers.lanes().size()) {
            return "one side counts " + own.lanes().size() + " lanes, the other "
                    + peers.lanes().size();
        }
        for (int index = 0; index < own.lanes().size(); index++) {
            long here = own.lanes().get(index).bytes();
            long there = peers.lanes().get(index).bytes();
            if (here != there) {
                return "of lane " + index + " this side counts " + here + " bytes and the other " + there;
            }
        }
        return null;
    }
}
