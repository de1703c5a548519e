package io.fdt.core.control;

import io.fdt.core.plan.TransferPlan;
import io.fdt.core.run.Resources;
import java.util.function.Consumer;

/** The other end of a copy. The copy closes it. */
public interface CopyPeer extends Resources {
    /**
     * Opens the session of the copy.
     *
     * @param asked what the other end is asked for
     */
    Session openCopy(TransferPlan plan, TransferPlan asked) throws InterruptedException;

    /**
     * The lanes of an open session; none is opened yet. May block for some seconds.
     *
     * @param warnings receives why the lanes are not those that were wished for
     */
    SessionLanes lanes(TransferPlan plan, Session open, SessionHandler handler, Consumer<String> warnings);

    /** The name of the transport while no lane is open. */
    String transport();

    /** Whether other jobs use it, too. */
    boolean isLent();
}
