package io.fdt.cli.key;

import io.fdt.cli.command.Context;
import io.fdt.cli.value.UserText;
import io.fdt.core.basic.Figures;
import io.fdt.core.basic.Word;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.Home;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyLimits;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.KnownServers;
import io.fdt.core.security.Permission;
import io.fdt.core.security.ServerAccess;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The keys in one home: the keys that its server admits, and the imported key lines with which its clients use other
 * servers. Methods throw {@code TransferException}.
 */
public final class KeyRing {
    private final Path home;
    private final KeyStore admitted;
    private final KnownServers imported;

    public static KeyRing of(Context context) {
        return new KeyRing(Home.directory(context.environment()));
    }

    public KeyRing(Path home) {
        this.home = home;
        this.admitted = new KeyStore(home);
        this.imported = new KnownServers(home);
    }

    /** Creates this server's identity and its default key if there are none. */
    public void createOnce() {
        Identity.createOnce(home);
        admitted.createDefaultOnce();
    }

    /**
     * Returns the line of text with the default key, which admits another machine: its secret and this server's
     * fingerprint. The first call creates this server's identity and that key. The lines of all other keys were printed
     * when they were created, and are not kept.
     */
    public String line() {
        Identity identity = Identity.loadOrCreate(home);
        admitted.createDefaultOnce();
        IssuedKey key = admitted.defaultKey();
        if (key == null) {
            throw UserText.refusal("the key " + KeyStore.DEFAULT_NAME
                    + " was revoked, or its secret is not in this home; for another machine run: fdt key create NAME;"
                    + " for this one: fdt key create default --replace");
        }
        return ServerAccess.of(identity, key).toLine();
    }

    /**
     * Creates a key, which never expires if {@code expires} is null. The name must be new unless the key is replaced.
     * Creates the identity first if there is none.
     */
    public CreatedKey create(String name, Permission permission, @Nullable Instant expires, boolean replacing) {
        Identity identity = Identity.loadOrCreate(home);
        admitted.createDefaultOnce();
        IssuedKey made = admitted.create(name, permission, expires, replacing);
        return new CreatedKey(known(made.key()), ServerAccess.of(identity, made).toLine());
    }

    private static KnownKey known(AccessKey key) {
        return new KnownKey(Role.ADMITS, key.name(), key.id(), note(key), key.permission(), key.expires(), null);
    }

    /**
     * Imports a key line from another home, for one server or, if null, for all servers without a line of their own.
     */
    public KnownKey keep(String line, @Nullable String server) {
        ServerAccess access = ServerAccess.parse(line);
        String name = server == null ? KnownServers.ANY : server;
        imported.remember(name, access);
        return imported(name, access);
    }

    private static KnownKey imported(String server, @Nullable ServerAccess access) {
        return new KnownKey(
                Role.IMPORTED,
                server,
                access == null ? null : access.keyId(),
                access == null ? "unreadable" : "server " + access.fingerprint(),
                null,
                null,
                null);
    }

    /** Returns the keys that admit others, then the imported lines. */
    public List<KnownKey> list() {
        List<KnownKey> keys = new ArrayList<>();
        for (AccessKey key : admitted.list()) {
            keys.add(known(key).usedAt(admitted.lastUse(key.id())));
        }
        for (String server : imported.names()) {
            keys.add(imported(server, imported.of(server)));
        }
        return keys;
    }

    /** Returns the expiry times, by name, of the keys that admit others; without keys that never expire. */
    public Map<String, Instant> expiries() {
        Map<String, Instant> expiries = new HashMap<>();
        for (AccessKey key : admitted.list()) {
            Instant end = key.expires();
            if (end != null) {
                expiries.put(key.name(), end);
            }
        }
        return expiries;
    }

    /** Removes the key that admits others with this name or id; returns false if there is none. */
    public boolean revoke(String name) {
        return admitted.revoke(name);
    }

    /** Removes the imported lines with this id or server; returns false if there are none. */
    public boolean forget(String name) {
        return imported.forget(name);
    }

    /** Whether the key with which the clients of this user on this host work is there. */
    public boolean hasDefault() {
        return admitted.defaultKey() != null;
    }

    private static String note(AccessKey key) {
        String expires =
                key.expires() == null ? "" : (key.isExpired(Instant.now()) ? ", expired " : ", until ") + key.expires();
        String user = key.permission().user();
        return permits(key.permission(), user == null ? "" : "as " + UserText.visible(user) + ", ") + expires;
    }

    /** @param account a part of the text */
    static String permits(Permission permission, String account) {
        String roots = permission.roots().isEmpty() ? "all roots" : String.join(" ", permission.roots());
        return permission.rights().stream().map(Word::of).collect(Collectors.joining(", "))
                + (permission.owners() ? ", owners, " : ", ")
                + account
                + UserText.visible(roots)
                + note(permission.limits());
    }

    private static String note(KeyLimits limits) {
        KeyLimits none = KeyLimits.NONE;
        return (limits.rateBitsPerSecond() == none.rateBitsPerSecond()
                        ? ""
                        : ", at most " + Figures.rate((double) limits.rateBitsPerSecond()))
                + (limits.bytes() == none.bytes() ? "" : ", " + Figures.bytes(limits.bytes()) + " per transfer")
                + (limits.sessions() == none.sessions() ? "" : ", " + Figures.count(limits.sessions(), "session"));
    }

    /**
     * A key without its secret.
     *
     * @param name of the key, or the server that an imported line is for
     * @param id public; null if unknown
     * @param note further details for people; empty for none
     * @param permission null for an imported line, whose server knows it
     * @param expires null if it never does, or for an imported line
     * @param lastUse when a client has proven it last; null if that is not known
     */
    public record KnownKey(
            Role role,
            String name,
            @Nullable String id,
            String note,
            @Nullable Permission permission,
            @Nullable Instant expires,
            @Nullable Instant lastUse) {
        KnownKey usedAt(@Nullable Instant time) {
            return new KnownKey(role, name, id, note, permission, expires, time);
        }
    }

    /** @param line with the secret; the only copy */
    public record CreatedKey(KnownKey key, String line) {}

    public enum Role {
        /** Admits clients to this user's server. */
        ADMITS,
        /** Admits this user's clients to another server. */
        IMPORTED
    }
}
