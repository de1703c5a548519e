package io.fdt.core.security;

import io.fdt.core.failure.Cause;
import io.fdt.core.nativecode.Libc;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a client finds a bearer token, and which authorities it trusts for the certificates of servers. Immutable.
 *
 * @param file that the user has named; null for none
 * @param authorities the file with their certificates, or a directory with such files; null for those that this host
 *     trusts
 * @param environment the variables that lead to a token
 */
public record Tokens(@Nullable Path file, @Nullable Path authorities, Map<String, String> environment) {
    public static final Tokens NONE = new Tokens(null, null, Map.of());

    private static final String OF_HTCONDOR = ".use";

    public Tokens withFile(@Nullable Path named) {
        return new Tokens(named, authorities, environment);
    }

    public Tokens withAuthorities(@Nullable Path trusted) {
        return new Tokens(file, trusted, environment);
    }

    public Tokens withEnvironment(Map<String, String> variables) {
        return new Tokens(file, authorities, variables);
    }

    /** Returns the token that the user has named; null if there is none. */
    @Nullable BearerToken given() {
        return file == null ? null : BearerToken.ofFile(file);
    }

    /**
     * Returns the token in the first of the places that WLCG Bearer Token Discovery lists, or else the one that
     * HTCondor gave to this job; null if there is none. In shared places, files of other users do not count.
     */
    @Nullable BearerToken found() {
        String value = environment.getOrDefault("BEARER_TOKEN", "");
        if (!value.isBlank()) {
            return BearerToken.ofVariable(value);
        }
        String named = environment.getOrDefault("BEARER_TOKEN_FILE", "");
        if (!named.isEmpty()) {
            return BearerToken.ofFile(path("BEARER_TOKEN_FILE", named));
        }
        int user = Libc.geteuid();
        String name = "bt_u" + user;
        String runtime = environment.getOrDefault("XDG_RUNTIME_DIR", "");
        for (String directory : List.of(runtime, "/tmp")) {
            if (directory.startsWith("/")
                    && isOf(user, path("XDG_RUNTIME_DIR", directory).resolve(name))) {
                return BearerToken.ofFile(path("XDG_RUNTIME_DIR", directory).resolve(name));
            }
        }
        String job = environment.getOrDefault("_CONDOR_CREDS", "");
        return job.isEmpty() ? null : ofJob(path("_CONDOR_CREDS", job));
    }

    /** Null if there are several: each is for other servers, and only the user knows for which. */
    private static @Nullable BearerToken ofJob(Path directory) {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(directory, "*" + OF_HTCONDOR)) {
            all.forEach(files::add);
        } catch (IOException none) {
            return null;
        }
        return files.size() == 1 ? BearerToken.ofFile(files.get(0)) : null;
    }

    private static boolean isOf(int user, Path file) {
        try {
            return Integer.valueOf(user).equals(Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS));
        } catch (IOException | UnsupportedOperationException none) {
            return false;
        }
    }

    private static Path path(String variable, String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw Cause.USAGE.failure(variable + ": Java cannot open this name in this locale; set LC_ALL=C.UTF-8", e);
        }
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "Tokens[file=" + file + ", authorities=" + authorities + "]";
    }

    /** Returns the credential for a server with the token that the user has named; null if there is none. */
    public @Nullable Credential givenFor(String host) {
        return credential(given(), host);
    }

    /** Likewise, with a token that was found. */
    public @Nullable Credential foundFor(String host) {
        return credential(found(), host);
    }

    private @Nullable Credential credential(@Nullable BearerToken token, String host) {
        return token == null ? null : new TokenAccess(token, host, authorities);
    }
}
