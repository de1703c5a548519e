package io.fdt.core.transport;

import io.fdt.core.failure.TransferException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A lane that claims to use a device, and opens the given queues of it. */
public final class LaneWithQueues implements Lane {
    private final Lane lane;
    private final Supplier<DeviceQueues> queues;

    public LaneWithQueues(Lane lane, Supplier<DeviceQueues> queues) {
        this.lane = lane;
        this.queues = queues;
    }

    @Override
    public DeviceQueues openQueues() {
        return queues.get();
    }

    @Override
    public void start(LaneHandler handler) {
        lane.start(handler);
    }

    @Override
    public @Nullable Block acquire() {
        return lane.acquire();
    }

    @Override
    public void send(Block block) {
        lane.send(block);
    }

    @Override
    public void admitted() {
        lane.admitted();
    }

    @Override
    public int blockBytes() {
        return lane.blockBytes();
    }

    @Override
    public @Nullable DirectStream takeOver() {
        return lane.takeOver();
    }

    @Override
    public Connection connection() {
        return lane.connection();
    }

    @Override
    public void execute(Runnable task) {
        lane.execute(task);
    }

    @Override
    public void schedule(Runnable task, long delay, TimeUnit unit) {
        lane.schedule(task, delay, unit);
    }

    @Override
    public void close() {
        lane.close();
    }

    @Override
    public void abort(TransferException cause) {
        lane.abort(cause);
    }

    @Override
    public String peer() {
        return lane.peer();
    }

    @Override
    public boolean isClear() {
        return lane.isClear();
    }

    @Override
    public String description() {
        return lane.description();
    }
}
