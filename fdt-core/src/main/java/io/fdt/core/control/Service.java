package io.fdt.core.control;

import io.fdt.core.stats.Summary;
import io.fdt.core.wire.ControlMessage;

/** What a server can do for an admitted client. */
public interface Service {
    boolean accepts(ControlMessage open);

    /** The request in the words of a log: for example {@code push to /incoming}. */
    String describe(ControlMessage open);

    /** What the session is to be granted of what was asked for. */
    Grant grant(ControlMessage open);

    /**
     * Serves one session on its own thread, mostly with {@link Session#serve}. A failure is sent to the client and put
     * into the summary.
     */
    Summary serve(Session session, ControlMessage open) throws InterruptedException;

    /**
     * Lanes and whether they may be clear; the server's limits come on top.
     *
     * @param lanes that the session needs
     * @param usefulLanes no fewer; what is more than needed is granted only where plenty is free
     */
    record Grant(int lanes, int usefulLanes, boolean clearLanes, long timeoutMs) {
        public Grant(int lanes, boolean clearLanes, long timeoutMs) {
            this(lanes, lanes, clearLanes, timeoutMs);
        }
    }
}
