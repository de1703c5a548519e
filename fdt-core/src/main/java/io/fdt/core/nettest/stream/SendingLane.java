package io.fdt.core.nettest.stream;

import io.fdt.core.nettest.LaneBytes;
import io.fdt.core.nettest.MeasuredLane;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;

/**
 * Sends as fast as possible until it is stopped, then ends the stream after what was sent. Uses system calls of its own
 * thread if the transport allows it, otherwise blocks.
 */
final class SendingLane extends MeasuredLane {
    private final LaneBytes source;
    private final int blockBytes;
    private boolean direct;

    SendingLane(Lane lane, LaneBytes source, int blockBytes) {
        super(lane);
        this.source = source;
        this.blockBytes = blockBytes;
    }

    @Override
    protected void onBegin() {
        DirectStream stream = lane().takeOver();
        if (stream == null) {
            sampleRepeatedly();
            sendBlocks();
            return;
        }
        direct = true;
        goDirectly(stream, this::sendDirectly);
    }

    private void sendDirectly(DirectStream stream) {
        long address = source.address();
        int at = 0;
        while (!isStopping()) {
            int sent = stream.send(address + at, blockBytes - at);
            if (sent == DirectStream.END) {
                break;
            }
            count(sent);
            at = at + sent == blockBytes ? 0 : at + sent;
            sampleEachSecond();
        }
    }

    private void sendBlocks() {
        while (!isClosed()) {
            if (isStopping()) {
                end();
                return;
            }
            Block block = lane().acquire();
            if (block == null) {
                return;
            }
            int bytes = Math.min(blockBytes, lane().blockBytes());
            block.buffer().limit(bytes);
            lane().send(block);
            count(bytes);
        }
    }

    @Override
    protected void onStop() {
        if (!direct) {
            end();
        }
    }

    @Override
    public void onSendable() {
        if (isBegun() && !direct) {
            sendBlocks();
        }
    }

    /** The peer sends nothing on this lane. If data arrives nevertheless, it is dropped and not counted. */
    @Override
    public void onReceived(Block block) {
        block.buffer().position(block.buffer().limit());
    }
}
