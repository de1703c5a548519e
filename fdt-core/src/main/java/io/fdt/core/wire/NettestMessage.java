package io.fdt.core.wire;

import io.fdt.core.stats.CoreTimes;
import io.fdt.core.stats.HostFacts;
import io.fdt.core.stats.LanePlace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The messages of a network test. The client keeps the time: the server says when all lanes have come, the client when
 * it begins and when nothing more is to be sent; then both count until every lane has ended, and compare.
 */
public sealed interface NettestMessage extends ControlMessage {

    /**
     * Client to server: a network test.
     *
     * @param suite its name
     * @param clear lanes without TLS
     * @param values of the suite by name, as they are written; those that are missing have their default
     */
    record OpenNettest(String suite, boolean clear, long timeoutMs, Map<String, Object> values)
            implements NettestMessage {
        public OpenNettest {
            values = Map.copyOf(values);
        }
    }

    /** Server: every lane is there. */
    record NettestReady(HostFacts host) implements NettestMessage {}

    /** Client: it begins. */
    record NettestStart() implements NettestMessage {}

    /** Client: what was before this is not counted. */
    record NettestMark() implements NettestMessage {}

    /** Server: what it had counted by then. */
    record NettestMarked(SideState state) implements NettestMessage {}

    /** Client: nothing more is to be sent. */
    record NettestStop() implements NettestMessage {}

    /** Server, about once a second: how far it is. */
    record NettestSample(SideState state) implements NettestMessage {}

    /** Either way: every lane of this side has ended, and these are its last figures. */
    record NettestDone(SideState state) implements NettestMessage {}

    /** What one side has counted since the start; {@code cpuNanos} of the whole process. */
    record SideState(long elapsedNanos, long cpuNanos, List<LaneState> lanes, List<CoreTimes> cores) {
        /** The difference from an earlier sample; what exists in only one of them is unchanged. */
        public SideState since(SideState then) {
            List<LaneState> laneStates = new ArrayList<>();
            for (int index = 0; index < lanes.size(); index++) {
                LaneState lane = lanes.get(index);
                laneStates.add(index < then.lanes.size() ? lane.since(then.lanes.get(index)) : lane);
            }
            List<CoreTimes> coreTimes = cores.stream()
                    .map(core -> then.cores.stream()
                            .filter(before -> before.core() == core.core())
                            .findFirst()
                            .map(core::since)
                            .orElse(core))
                    .toList();
            return new SideState(elapsedNanos - then.elapsedNanos, cpuNanos - then.cpuNanos, laneStates, coreTimes);
        }
    }

    /**
     * One lane, by its place in the list.
     *
     * @param bytes that this side sent or received
     * @param calls for receiving: how often it looked
     * @param fullCalls of these, as much was there as it could take
     * @param direct by calls of the lane's own thread; otherwise by blocks
     */
    record LaneState(
            long bytes,
            long calls,
            long fullCalls,
            boolean direct,
            long retransmits,
            int rttUs,
            long cwndBytes,
            long windowBytes,
            long paceBytesPerSecond,
            long busyUs,
            long receiverLimitedUs,
            long bufferLimitedUs,
            LanePlace place) {
        /** Counters count from the earlier sample; all other figures are those of the later one. */
        LaneState since(LaneState then) {
            return new LaneState(
                    bytes - then.bytes,
                    calls - then.calls,
                    fullCalls - then.fullCalls,
                    direct,
                    retransmits - then.retransmits,
                    rttUs,
                    cwndBytes,
                    windowBytes,
                    paceBytesPerSecond,
                    busyUs - then.busyUs,
                    receiverLimitedUs - then.receiverLimitedUs,
                    bufferLimitedUs - then.bufferLimitedUs,
                    place);
        }
    }
}
