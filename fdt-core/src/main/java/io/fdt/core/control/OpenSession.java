package io.fdt.core.control;

import io.fdt.core.TransferException;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.LaneAdmission;

/**
 * A session that lanes may join, as its server knows it.
 *
 * @param purpose what it is for, in words: with the key and the host, what its client may prove to be the same by
 * @param heldBytes of the server's memory
 */
record OpenSession(
        Session session, Thread thread, LaneAdmission admission, AccessKey key, String purpose, long heldBytes)
        implements KeyWatch.Held {

    @Override
    public void end(TransferException why) {
        session.interrupt(why);
    }

    /** Whether the other is the same client's same request, by another session. */
    boolean isSameAs(OpenSession other) {
        return !session.name().equals(other.session.name())
                && key.equals(other.key)
                && purpose.equals(other.purpose)
                && hostOf(session.peer()).equals(hostOf(other.session.peer()));
    }

    private static String hostOf(String peer) {
        return peer.substring(0, Math.max(0, peer.lastIndexOf(':')));
    }
}
