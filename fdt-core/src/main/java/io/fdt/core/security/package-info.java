/**
 * Authentication and encryption: identities, keys, TLS contexts, and the proof that a lane belongs to its session.
 *
 * <p>A server has one {@link io.fdt.core.security.Identity}, and for each key an {@link
 * io.fdt.core.security.AccessKey}, without its secret. A client knows the server's fingerprint and holds a key's
 * secret; one line, {@link io.fdt.core.security.ServerAccess}, carries both. TLS authenticates the server to the
 * client, {@link io.fdt.core.security.SessionProof} the client to the server and each lane to its
 * session. No secret appears in {@code toString} or in a message.
 */
@NullMarked
package io.fdt.core.security;

import org.jspecify.annotations.NullMarked;
