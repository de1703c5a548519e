/**
 * Bearer tokens: the issuers that a server trusts, their keys, and what a verified token permits. {@link
 * io.fdt.core.token.Issuers} is what the rest of fdt uses. Only {@link io.fdt.core.token.SignedToken} and {@link
 * io.fdt.core.token.KeySet} use the library for JWT, and neither is loaded before a token arrives or an issuer has
 * keys.
 */
@NullMarked
package io.fdt.core.token;

import org.jspecify.annotations.NullMarked;
