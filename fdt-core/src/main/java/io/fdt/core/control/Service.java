package io.fdt.core.control;

import io.fdt.core.digest.Checksums;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.core.wire.ControlMessage;
import org.jspecify.annotations.Nullable;

/** A service of a server for admitted clients. */
public interface Service {
    /** The request as text for a log: for example {@code push to /incoming}. */
    String describe(ControlMessage open);

    /** What a session of this request is counted as; null if it neither copies, verifies nor tests. */
    default SessionActivity.@Nullable Kind kind(ControlMessage open) {
        return null;
    }

    /** The span that the client made for this request, see {@code CopyValue.TRACE}; null for none. */
    default @Nullable String trace(ControlMessage open) {
        return null;
    }

    Grant grant(ControlMessage open);

    /**
     * Whether a session of this request only lists or ends what the key's sessions that outlive their clients do: one
     * such session is open beside all that the key may have.
     */
    default boolean isForOthers(ControlMessage open) {
        return false;
    }

    /**
     * Serves one session on its own thread, usually with {@link Session#serve}. A failure is sent to the client and put
     * into the summary.
     */
    Summary serve(Session session, ControlMessage open) throws InterruptedException;

    /**
     * The granted lanes and whether they may be unencrypted; the server's limits also apply.
     *
     * @param lanes that the session needs
     * @param usefulLanes at least as many; those beyond the needed ones are granted only if plenty are free
     * @param checksums that both sides of a copy compute, besides those that the client requested
     */
    record Grant(int lanes, int usefulLanes, boolean clearLanes, long timeoutMs, Checksums checksums) {
        public Grant(int lanes, boolean clearLanes, long timeoutMs) {
            this(lanes, lanes, clearLanes, timeoutMs, Checksums.NONE);
        }
    }
}
