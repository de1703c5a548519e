package io.fdt.cli.engine;

import io.fdt.core.security.Permission;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The keys in this user's home, as the {@code key} command needs them. Failures are {@code TransferException}s. */
public interface KeyRing {
    /**
     * The line of text that lets another machine in: a key's secret and this server's fingerprint. The first call makes
     * this server's identity and its default key.
     *
     * @param name of the key, or null for the default one
     */
    String line(@Nullable String name);

    /**
     * Makes a key, which by default never expires, under a name that is new or whose key is replaced; first the
     * identity.
     */
    KnownKey create(String name, Permission permission, @Nullable Instant expires, boolean replacing);

    /** Keeps a line that was printed elsewhere, for one server or, without, for all that have no line of their own. */
    KnownKey keep(String line, @Nullable String server);

    /** What is known here: first the keys that admit others, then the lines that were imported. */
    List<KnownKey> list();

    /** When keys that admit others expire, by their names; those that never do are left out. */
    Map<String, Instant> expiries();

    /** Forgets what has this name or id; false when there is nothing. */
    boolean revoke(String name);

    /**
     * A key without its secret.
     *
     * @param role what it is good for
     * @param name of the key, or the server that an imported line is for
     * @param id public; null where it is not known
     * @param note what else there is to say, for people; empty for nothing
     */
    record KnownKey(Role role, String name, @Nullable String id, String note) {}

    enum Role {
        /** It admits clients to this user's server. */
        ADMITS,
        /** It admits this user's client elsewhere. */
        IMPORTED
    }
}
