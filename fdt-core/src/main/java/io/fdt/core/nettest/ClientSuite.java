package io.fdt.core.nettest;

import io.fdt.core.wire.NettestMessage.SideState;
import org.jspecify.annotations.Nullable;

/** A suite on the client's side, where the test is watched and summed up. */
public interface ClientSuite extends Suite {
    /** A second has passed, and this is what the server said last; null when it has not yet. The session's thread. */
    NamedFigures onSecond(SideState local, @Nullable SideState remote);

    /** What is at the beginning of the test and not to be counted. */
    default long warmUpNanos() {
        return 0;
    }

    /** That has passed, and this is what either side had counted by then. The session's thread. */
    default void onWarm(SideState local, SideState remote) {}

    /** Whether all that was to be measured has been, in a suite that ends by itself. Any thread. */
    boolean isComplete();

    /**
     * The result, of what has been measured, at the end or where the test was ended early.
     *
     * @param here the last figures of this side
     * @param there the server's, which are older than the client's when the test did not come to its end; null without
     * any
     */
    NettestResult result(Circumstances circumstances, SideState here, @Nullable SideState there);
}
