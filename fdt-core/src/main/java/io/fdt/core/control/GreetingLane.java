package io.fdt.core.control;

import io.fdt.core.TransferException;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.wire.LaneHello;
import org.jspecify.annotations.Nullable;

/** The client's counterpart of {@link LaneGate}: sends the hello, then passes the lane to the session's handler. */
final class GreetingLane implements LaneHandler {
    private final Lane lane;
    private final LaneHello hello;
    private final LaneHandler handler;
    private boolean greeted;

    GreetingLane(Lane lane, LaneHello hello, LaneHandler handler) {
        this.lane = lane;
        this.hello = hello;
        this.handler = handler;
    }

    @Override
    public int wantedBytes() {
        return handler.wantedBytes();
    }

    @Override
    public void onReceived(Block block) {
        handler.onReceived(block);
    }

    @Override
    public void onSendable() {
        if (!greeted) {
            Block block = lane.acquire();
            if (block == null) {
                return;
            }
            hello.write(block.buffer());
            block.buffer().flip();
            greeted = true;
            lane.send(block);
        }
        handler.onSendable();
    }

    @Override
    public void onClosed(@Nullable TransferException cause) {
        handler.onClosed(cause);
    }
}
