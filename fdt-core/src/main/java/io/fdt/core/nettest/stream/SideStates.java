package io.fdt.core.nettest.stream;

import io.fdt.core.stats.CoreTimes;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.SideState;
import java.util.ArrayList;
import java.util.List;

/** The difference between two samples of one side's figures. Pure functions. */
final class SideStates {
    private SideStates() {}

    /** Counters count from the earlier sample; all other figures are those of the later one. */
    static SideState since(SideState now, SideState then) {
        List<LaneState> lanes = new ArrayList<>();
        for (int index = 0; index < now.lanes().size(); index++) {
            LaneState lane = now.lanes().get(index);
            lanes.add(index < then.lanes().size() ? since(lane, then.lanes().get(index)) : lane);
        }
        List<CoreTimes> cores = new ArrayList<>();
        for (CoreTimes core : now.cores()) {
            cores.add(then.cores().stream()
                    .filter(before -> before.core() == core.core())
                    .findFirst()
                    .map(core::since)
                    .orElse(core));
        }
        return new SideState(now.elapsedNanos() - then.elapsedNanos(), now.cpuNanos() - then.cpuNanos(), lanes, cores);
    }

    private static LaneState since(LaneState now, LaneState then) {
        return new LaneState(
                now.bytes() - then.bytes(),
                now.calls() - then.calls(),
                now.fullCalls() - then.fullCalls(),
                now.direct(),
                now.retransmits() - then.retransmits(),
                now.rttUs(),
                now.cwndBytes(),
                now.windowBytes(),
                now.paceBytesPerSecond(),
                now.busyUs() - then.busyUs(),
                now.receiverLimitedUs() - then.receiverLimitedUs(),
                now.bufferLimitedUs() - then.bufferLimitedUs(),
                now.place());
    }
}
