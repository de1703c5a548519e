package io.fdt.core.security;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A bearer token, for the server that has a certificate for a name.
 *
 * @param host the name or address of the server, as the user wrote it
 * @param authorities the file with certificates of authorities, or a directory with such files; null for those that
 *     this host trusts
 */
public record TokenAccess(
        BearerToken token, String host, @Nullable Path authorities) implements Credential {}
