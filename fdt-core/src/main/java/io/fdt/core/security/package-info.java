/**
 * Who may: identities, keys, TLS contexts and the proof that a lane belongs to its session.
 *
 * <p>A server has one {@link io.fdt.core.security.Identity}; a client knows its fingerprint and holds an {@link
 * io.fdt.core.security.AccessKey}, both carried over in one line, {@link io.fdt.core.security.ServerAccess}. TLS proves
 * the server to the client, {@link io.fdt.core.security.SessionProof} the client to the server and each lane to its
 * session. No secret ever appears in {@code toString} or in a message.
 */
@NullMarked
package io.fdt.core.security;

import org.jspecify.annotations.NullMarked;
