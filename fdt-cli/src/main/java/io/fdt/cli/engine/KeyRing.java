package io.fdt.cli.engine;

import io.fdt.core.security.Permission;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The keys in this user's home, for the {@code key} command. Methods throw {@code TransferException}. */
public interface KeyRing {
    /**
     * Returns the line of text that admits another machine: a key's secret and this server's fingerprint. The first
     * call creates this server's identity and its default key.
     *
     * @param name of the key, or null for the default key
     */
    String line(@Nullable String name);

    /**
     * Creates a key, which never expires if {@code expires} is null. The name must be new unless the key is replaced.
     * Creates the identity first if there is none.
     */
    KnownKey create(String name, Permission permission, @Nullable Instant expires, boolean replacing);

    /**
     * Imports a key line from another home, for one server or, if null, for all servers without a line of their own.
     */
    KnownKey keep(String line, @Nullable String server);

    /** Returns the keys that admit others, then the imported lines. */
    List<KnownKey> list();

    /** Returns the expiry times, by name, of the keys that admit others; without keys that never expire. */
    Map<String, Instant> expiries();

    /** Removes the keys and lines with this name or id; returns false if there are none. */
    boolean revoke(String name);

    /**
     * A key without its secret.
     *
     * @param role the purpose of the key
     * @param name of the key, or the server that an imported line is for
     * @param id public; null if unknown
     * @param note further details for people; empty for none
     */
    record KnownKey(Role role, String name, @Nullable String id, String note) {}

    enum Role {
        /** Admits clients to this user's server. */
        ADMITS,
        /** Admits this user's clients to another server. */
        IMPORTED
    }
}
