package io.fdt.core.wire;

import io.fdt.core.FailureKind;
import io.fdt.core.HostView;
import io.fdt.core.TransferException;

/** The messages of every session: who is there, how it opens, how it lives and how it ends. */
public sealed interface SessionMessage extends ControlMessage {

    /** Server to client, first: the nonce that the client's proof must cover. */
    record Challenge(String software, byte[] nonce) implements SessionMessage {}

    /** Client to server: which key, the proof of holding it, and bits of {@link Capability}. */
    record Authenticate(String keyId, byte[] proof, String software, long capabilities) implements SessionMessage {}

    /**
     * Server to client: the session exists; its lanes are admitted with this secret.
     *
     * @param rdmaPort at the server's address, where lanes may come over RDMA; 0 where they may not
     * @param capabilities bits of {@link Capability}
     */
    record Opened(byte[] sessionId, byte[] secret, int lanes, boolean clearLanes, int rdmaPort, long capabilities)
            implements SessionMessage {}

    /** Either way: the session ends, or does not begin, for this reason. */
    record Failed(int exitCode, String message) implements SessionMessage {
        public TransferException failure() {
            return new TransferException(FailureKind.ofExitCode(exitCode), message);
        }
    }

    /** Either way, for people: not the end of anything. */
    record Warning(String message) implements SessionMessage {}

    /** Either way: still there, and this many of the other's messages have come. Counts for neither side. */
    record Heartbeat(long heard) implements SessionMessage {}

    /** Either way: the channel is closed in order, nothing follows. Counts for neither side. */
    record Leaving() implements SessionMessage {}

    /** Client to server, on a new link: goes on with a session, of which it has heard this many messages. */
    record Reattach(byte[] sessionId, byte[] proof, long heard) implements SessionMessage {}

    /** Server to client: the session goes on, here; this many of its messages have come. */
    record Reattached(long heard) implements SessionMessage {}

    /** Either way: tell of your host about once a second for the next ten seconds. Counts for neither side. */
    record AskHost() implements SessionMessage {}

    /** Either way, to who asked: what the host did in the last second. Counts for neither side. */
    record HostTold(HostView view) implements SessionMessage {}
}
