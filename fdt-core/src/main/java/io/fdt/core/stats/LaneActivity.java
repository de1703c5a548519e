package io.fdt.core.stats;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A lane as observers see it. The lane's thread reads the figures of the network stack and publishes them here; reading
 * them never touches the lane.
 */
public final class LaneActivity {
    private final int index;
    private final SessionActivity.Direction direction;
    private final LongSupplier bytes;
    private final Consumer<String> onLost;
    private volatile @Nullable StreamFigures figures;
    private volatile boolean open = true;
    private volatile boolean lost;
    private volatile @Nullable Ends ends;

    /** The two ends of a lane's connection. */
    public record Ends(InetSocketAddress local, InetSocketAddress remote) {}

    LaneActivity(int index, SessionActivity.Direction direction, LongSupplier bytes, Consumer<String> onLost) {
        this.index = index;
        this.direction = direction;
        this.bytes = bytes;
        this.onLost = onLost;
    }

    public int index() {
        return index;
    }

    /** The direction of its payload, seen from this side. */
    public SessionActivity.Direction direction() {
        return direction;
    }

    /** The payload bytes moved so far. */
    public long bytes() {
        return bytes.getAsLong();
    }

    /** Null before the lane's thread has published any, and if the stack has none. */
    public @Nullable StreamFigures figures() {
        return figures;
    }

    /** The segments that TCP has sent again; 0 if unknown. */
    long retransmits() {
        StreamFigures last = figures;
        return last == null ? 0 : Math.max(0, last.retransmits());
    }

    /** Null if the lane is not a network connection. */
    public @Nullable Ends ends() {
        return ends;
    }

    /** The local address of the lane; null if it is not a network connection. */
    public @Nullable InetAddress local() {
        Ends known = ends;
        return known == null ? null : known.local.getAddress();
    }

    /** The remote address of the lane; null if it is not a network connection. */
    public @Nullable InetAddress remote() {
        Ends known = ends;
        return known == null ? null : known.remote.getAddress();
    }

    /** Sets the ends of the lane's connection. Any thread. */
    public void connects(InetSocketAddress here, InetSocketAddress there) {
        ends = new Ends(here, there);
    }

    public boolean isOpen() {
        return open;
    }

    /** Called by the lane's thread. */
    public void publish(StreamFigures newest) {
        figures = newest;
    }

    /** Marks the lane as ended. Any thread. */
    public void close() {
        open = false;
    }

    /** Marks the lane as lost. Called by the lane's thread. */
    public void lose(String why) {
        lost = true;
        open = false;
        onLost.accept(why);
    }

    boolean wasLost() {
        return lost;
    }
}
