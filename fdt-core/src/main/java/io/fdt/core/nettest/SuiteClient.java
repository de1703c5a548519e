package io.fdt.core.nettest;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.wire.NettestMessage.SideState;
import org.jspecify.annotations.Nullable;

/** The client's side of a suite, which observes the test and creates the result. */
public interface SuiteClient extends SuiteSide {
    /**
     * A second has passed; {@code remote} is what the server sent last, null before it has sent any. On the session's
     * thread.
     */
    JsonObject onSecond(SideState local, @Nullable SideState remote);

    /** The time at the beginning of the test that does not count. */
    default long warmUpNanos() {
        return 0;
    }

    /** That time has passed; these are the counts of both sides at its end. On the session's thread. */
    default void onWarm(SideState local, SideState remote) {}

    /** Whether everything has been measured, in a suite that ends by itself. Thread-safe. */
    boolean isComplete();

    /**
     * Returns the result of what was measured until the end, or until the test was ended early.
     *
     * @param here the last figures of this side
     * @param there those of the server, which are older if the test was ended early; null if there are none
     */
    NettestResult result(Circumstances circumstances, SideState here, @Nullable SideState there);
}
