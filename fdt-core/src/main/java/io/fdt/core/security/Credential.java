package io.fdt.core.security;

/** What a client shows to a server to be admitted, and by which it knows the server. */
public sealed interface Credential permits ServerAccess, TokenAccess {}
