package io.fdt.core.stats;

import java.net.InetAddress;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A lane as an observer sees it from outside. The lane's thread reads the figures of the network stack and publishes
 * them here; reading never touches the lane.
 */
public final class LaneActivity {
    private final int index;
    private final SessionActivity.Direction direction;
    private final LongSupplier bytes;
    private final Consumer<String> onLost;
    private volatile @Nullable StreamFigures figures;
    private volatile boolean open = true;
    private volatile boolean lost;
    private volatile @Nullable InetAddress local;
    private volatile @Nullable InetAddress remote;

    LaneActivity(int index, SessionActivity.Direction direction, LongSupplier bytes, Consumer<String> onLost) {
        this.index = index;
        this.direction = direction;
        this.bytes = bytes;
        this.onLost = onLost;
    }

    public int index() {
        return index;
    }

    /** Which way its payload goes, seen from this side. */
    public SessionActivity.Direction direction() {
        return direction;
    }

    /** Payload moved up to now. */
    public long bytes() {
        return bytes.getAsLong();
    }

    /** Null before the lane's thread has looked, and where the stack says nothing. */
    public @Nullable StreamFigures figures() {
        return figures;
    }

    /** The address of this host by which it is connected; null where it is no connection of a network. */
    public @Nullable InetAddress local() {
        return local;
    }

    /** The address of the other end; null where it is no connection of a network. */
    public @Nullable InetAddress remote() {
        return remote;
    }

    /** It is a connection between these addresses. Any thread. */
    public void connects(InetAddress here, InetAddress there) {
        local = here;
        remote = there;
    }

    public boolean isOpen() {
        return open;
    }

    /** By the lane's thread. */
    public void publish(StreamFigures newest) {
        figures = newest;
    }

    /** The lane has ended. Any thread. */
    public void close() {
        open = false;
    }

    /** The lane has ended, and not in order. By the lane's thread. */
    public void lose(String why) {
        lost = true;
        open = false;
        onLost.accept(why);
    }

    boolean wasLost() {
        return lost;
    }
}
