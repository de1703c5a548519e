package io.fdt.core.wire;

import io.fdt.core.basic.HostView;
import io.fdt.core.digest.Checksums;
import io.fdt.core.failure.Failure;

/** The messages that every session uses: authentication, opening, heartbeats and the end. */
public sealed interface SessionMessage extends ControlMessage {

    /** Server to client, first: the nonce that the client's proof must cover. */
    record Challenge(String software, byte[] nonce) implements SessionMessage {}

    /** Client to server: the id of the key, and the proof of possessing it. */
    record Authenticate(String keyId, byte[] proof, String software) implements SessionMessage {}

    /** Client to server, in place of {@link Authenticate}: a bearer token, which is a secret. */
    record Bearer(String token, String software) implements SessionMessage {
        public static final int MAX_TOKEN_CHARS = 16 << 10;

        /** Without the token. */
        @Override
        public String toString() {
            return "Bearer[software=" + software + "]";
        }
    }

    /**
     * Server to client: the session exists; its lanes are admitted with this secret.
     *
     * @param rdmaPort at the server's address, for lanes over RDMA; 0 if they are not allowed
     */
    record Opened(byte[] sessionId, byte[] secret, int lanes, boolean clearLanes, int rdmaPort, Checksums checksums)
            implements SessionMessage {}

    /** Either way: the session ends, or does not begin, for this reason. */
    record Failed(Failure why) implements SessionMessage {}

    /** Server to client: connect again, with this route in front of each preamble. Nothing follows. */
    record Elsewhere(byte[] route) implements SessionMessage {
        public static final int ROUTE_BYTES = 8;

        /** Connect without a route: the first process of the server has to verify this token. */
        public static byte[] firstProcess() {
            return new byte[ROUTE_BYTES];
        }
    }

    /** Either way, for display: the session continues. */
    record Warning(String message) implements SessionMessage {}

    /** Either way: this side is alive and has received this many of the peer's messages. Not counted itself. */
    record Heartbeat(long heard) implements SessionMessage {}

    /** Either way: the channel is closed in order, nothing follows. Not counted. */
    record Leaving() implements SessionMessage {}

    /** Client to server, on a new link: continues a session, of which it has received this many messages. */
    record Reattach(byte[] sessionId, byte[] proof, long heard) implements SessionMessage {}

    /** Server to client: the session continues on this link; this many of the client's messages were received. */
    record Reattached(long heard) implements SessionMessage {}

    /** Either way: send figures of your host about once a second for the next ten seconds. Not counted. */
    record AskHost() implements SessionMessage {}

    /** Either way, on request: the host's activity in the last second. Not counted. */
    record HostReport(HostView view) implements SessionMessage {}

    /** Either way, on request: what the lanes of this end spent most of the last seconds on. Not counted. */
    record StageReport(String limit, int percent) implements SessionMessage {}

    /**
     * Receiver of a copy: how far the bytes of the session are. Not counted.
     *
     * @param kept in unfinished files, as the next run will resume them
     * @param last nothing changes any more
     */
    record Counted(long arrived, long verified, long durable, long kept, boolean last) implements SessionMessage {}
}
