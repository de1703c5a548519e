package io.fdt.core.hostile;

import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A lane on which any bytes can be sent; keeps what it receives. */
final class RawLane implements LaneHandler {
    private final Lane lane;
    private final Queue<byte[]> outgoing = new ArrayDeque<>();
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final CountDownLatch closed = new CountDownLatch(1);

    RawLane(Lane lane) {
        this.lane = lane;
        lane.start(this);
    }

    /** Sends the bytes, at most one block. */
    void send(byte[] bytes) {
        lane.execute(() -> {
            outgoing.add(bytes);
            pump();
        });
    }

    private void pump() {
        while (!outgoing.isEmpty()) {
            Block block = lane.acquire();
            if (block == null) {
                return;
            }
            block.buffer().put(outgoing.remove()).flip();
            lane.send(block);
        }
    }

    byte[] received() {
        synchronized (received) {
            return received.toByteArray();
        }
    }

    void awaitClose() throws InterruptedException {
        if (!closed.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the lane is still open");
        }
    }

    boolean isClosed() {
        return closed.getCount() == 0;
    }

    void close() {
        lane.close();
    }

    @Override
    public int wantedBytes() {
        return 1;
    }

    @Override
    public void onReceived(Block block) {
        byte[] bytes = new byte[block.buffer().remaining()];
        block.buffer().get(bytes);
        synchronized (received) {
            received.writeBytes(bytes);
        }
    }

    @Override
    public void onSendable() {
        pump();
    }

    @Override
    public void onClosed(@Nullable TransferException cause) {
        closed.countDown();
    }
}
