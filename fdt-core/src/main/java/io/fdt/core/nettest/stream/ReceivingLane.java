package io.fdt.core.nettest.stream;

import io.fdt.core.nettest.LaneBytes;
import io.fdt.core.nettest.MeasuredLane;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Receive;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;

/**
 * Receives and drops data until the peer ends the stream. Uses system calls of its own thread if the transport allows
 * it, otherwise blocks. Data that arrives before the start also counts.
 */
final class ReceivingLane extends MeasuredLane {
    private final int blockBytes;
    private final boolean copying;
    private final LaneBytes memory;

    ReceivingLane(Lane lane, int blockBytes, boolean copying) {
        super(lane);
        this.blockBytes = blockBytes;
        this.copying = copying;
        this.memory = new LaneBytes(copying ? blockBytes : 1);
    }

    static long memoryBytes(NettestPlan plan) {
        return LaneBytes.allocated(
                plan.get(NettestValue.RECEIVE) == Receive.COPY ? plan.get(NettestValue.BLOCK_BYTES) : 1);
    }

    @Override
    protected void onBegin() {
        DirectStream stream = lane().takeOver();
        if (stream == null) {
            sampleRepeatedly();
            return;
        }
        goDirectly(stream, this::receiveDirectly);
    }

    private void receiveDirectly(DirectStream stream) {
        long address = memory.address();
        while (true) {
            int came = copying ? stream.receive(address, blockBytes) : stream.discard(blockBytes);
            if (came == DirectStream.END) {
                break;
            }
            count(came);
            if (came == blockBytes) {
                countFull();
            }
            sampleEachSecond();
        }
    }

    @Override
    public void onReceived(Block block) {
        int came = block.buffer().remaining();
        count(came);
        if (came >= Math.min(blockBytes, lane().blockBytes())) {
            countFull();
        }
        block.buffer().position(block.buffer().limit());
    }
}
