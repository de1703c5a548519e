package io.fdt.core.control;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.wire.LaneHello;
import org.jspecify.annotations.Nullable;

/**
 * The client's counterpart of {@link LaneGate}: sends the hello, then passes the lane to the session's handler; and
 * again for another session that uses the lane.
 */
final class GreetingLane implements LaneHandler {
    /** The hello of a lane for a session, and the session's handler. */
    record Greeting(LaneHello hello, LaneHandler handler) {}

    private final Lane lane;
    private final @Nullable LeftLanes left;

    /** Null between two sessions. For the lane's thread. */
    private @Nullable Greeting current;

    private boolean greeted;

    // Guarded by this.
    private @Nullable Greeting next;
    private boolean ended;

    /** @param left holds the lane when its session has left it; null if it is closed then */
    GreetingLane(Lane lane, Greeting first, @Nullable LeftLanes left) {
        this.lane = lane;
        this.current = first;
        this.left = left;
    }

    Lane lane() {
        return lane;
    }

    /** Joins another session, once the last one has left; its handler is notified if there is no way. Any thread. */
    void join(Greeting another) {
        boolean late;
        synchronized (this) {
            late = ended;
            next = late ? null : another;
        }
        if (late) {
            another.handler.onClosed(lost());
        } else {
            lane.execute(this::greetNext);
        }
    }

    /** Its session has ended, perhaps before it knew of the lane. Any thread. */
    void leave(Greeting ended) {
        lane.execute(() -> {
            // At once: a later task could meet the next session.
            if (ended.equals(current) && !onLeft()) {
                lane.close();
            }
        });
    }

    private TransferException lost() {
        return Cause.CONNECTION_LOST.failure("lost the connection to " + lane.peer());
    }

    private void greetNext() {
        if (current != null) {
            // It could not leave; the end of the lane notifies the handler that waits.
            lane.abort(lost());
            return;
        }
        synchronized (this) {
            current = next;
            next = null;
        }
        greeted = false;
        onSendable();
    }

    @Override
    public int wantedBytes() {
        Greeting joined = current;
        return joined == null ? 1 : joined.handler.wantedBytes();
    }

    @Override
    public void onReceived(Block block) {
        Greeting joined = current;
        if (joined == null) {
            lane.abort(Cause.MALFORMED.failure(lane.peer() + " sent data on a lane without a session"));
        } else {
            joined.handler.onReceived(block);
        }
    }

    @Override
    public void onSendable() {
        Greeting joined = current;
        if (joined == null) {
            return;
        }
        if (!greeted) {
            Block block = lane.acquire();
            if (block == null) {
                return;
            }
            joined.hello.write(block.buffer());
            block.buffer().flip();
            greeted = true;
            lane.send(block);
        }
        joined.handler.onSendable();
    }

    @Override
    public boolean onLeft() {
        Greeting joined = current;
        if (left == null || joined == null || !greeted || !joined.handler.isBetweenMessages()) {
            return false;
        }
        current = null;
        joined.handler.onClosed(null);
        return true;
    }

    @Override
    public void onClosed(@Nullable TransferException cause) {
        Greeting joining;
        synchronized (this) {
            ended = true;
            joining = next;
            next = null;
        }
        if (left != null) {
            left.remove(this);
        }
        Greeting joined = current;
        if (joined != null) {
            joined.handler.onClosed(cause);
        }
        if (joining != null) {
            joining.handler.onClosed(cause == null ? lost() : cause);
        }
    }
}
