package io.fdt.core.stats;

import io.fdt.core.FailureKind;

/** Why a server refused a connection, a request or a lane. */
public enum Refusal {
    /** The client has no key of this server, or one that is revoked or expired. */
    KEY,
    /** The key does not permit the request, or the path is not exported. */
    PERMISSION,
    /** A limit of the server or of the key is reached, or the server is starting or stopping. */
    FULL,
    /** The client connected and then sent nothing in time. */
    SILENT,
    /** The peer does not speak this protocol, or not this version of it. */
    PROTOCOL,
    /** A connection for a lane of a session that does not exist or does not expect it. */
    LANE,
    /** The request cannot be served for another reason, such as a missing source. */
    REQUEST;

    /** Returns the reason for a failure of this kind, after the client has shown a valid key. */
    public static Refusal of(FailureKind kind) {
        return switch (kind) {
            case REFUSED -> PERMISSION;
            case UNAVAILABLE, HOST_LIMIT, LIMIT -> FULL;
            case VERSION -> PROTOCOL;
            default -> REQUEST;
        };
    }
}
