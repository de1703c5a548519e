package io.fdt.core.security;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The servers that a client may use, in the file {@code known-servers} of its home: one line for each, with {@code
 * HOST}, {@code HOST:PORT} or {@code *} for any, and the key. The user of a server on the same host needs no entry.
 */
public final class KnownServers {
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    /** The entry for every host without its own entry. */
    public static final String ANY = "*";

    private final Path home;
    private final SecretFile file;

    public KnownServers(Path home) {
        this.home = home;
        this.file = new SecretFile(home, "known-servers");
    }

    /**
     * Stores the access under a name, {@code HOST}, {@code HOST:PORT} or {@link #ANY}, in place of an existing entry.
     */
    public void remember(String server, ServerAccess access) {
        String name = normal(server);
        if (name.isEmpty() || name.chars().anyMatch(c -> c <= ' ' || c == 0x7f)) {
            throw Cause.USAGE.failure("a server is named HOST, HOST:PORT or " + ANY);
        }
        file.exclusively(() -> {
            Map<String, String> entries = entries();
            entries.put(name, access.toLine());
            file.replace(format(entries));
            return true;
        });
    }

    /** Removes the entry of this server, and those with the key of this id; false if there are none. */
    public boolean forget(String serverOrId) {
        return file.exclusively(() -> {
            Map<String, String> entries = entries();
            boolean found = entries.remove(normal(serverOrId)) != null;
            for (Map.Entry<String, ServerAccess> each : known().entrySet()) {
                if (each.getValue().keyId().equals(serverOrId)) {
                    found |= entries.remove(each.getKey()) != null;
                }
            }
            if (found) {
                file.replace(format(entries));
            }
            return found;
        });
    }

    public List<String> names() {
        return List.copyOf(entries().keySet());
    }

    /** Returns the access of an entry; null if this version cannot read it. */
    public @Nullable ServerAccess of(String name) {
        return known().get(name);
    }

    /**
     * Returns the access for a server: the entry for HOST:PORT, for HOST, for any, or, if the host is this one, from
     * this user's own server. Throws REFUSED if there is none.
     */
    public ServerAccess find(String host, int port) {
        Map<String, String> entries = entries();
        for (String name : List.of(host + ":" + port, host)) {
            String line = entries.get(normal(name));
            if (line != null) {
                return ServerAccess.parse(line);
            }
        }
        boolean local = isThisMachine(host);
        ServerAccess own = local ? ownServer() : null;
        if (own != null) {
            return own;
        }
        String any = entries.get(ANY);
        if (any != null) {
            return ServerAccess.parse(any);
        }
        throw local
                ? Cause.NO_KEY
                        .advise("as the user of the server, run: fdt key create NAME --root DIR, and here, with its"
                                + " output: fdt key import --server " + host)
                        .failure("no key for " + host + ", and no server was started with the home " + home)
                : Cause.NO_KEY
                        .advise("on " + host + ", run: fdt key create NAME --root DIR | ssh THIS_HOST"
                                + " fdt key import --server " + host + ", or use ssh instead: fdt client SRC USER@"
                                + host + ":PATH")
                        .failure("no key for " + host);
    }

    /** Whether this access was found for a server that has no entry by its name, and there are entries for others. */
    public boolean mayBeOther(String host, int port, ServerAccess found) {
        Map<String, String> entries = entries();
        return !entries.containsKey(normal(host + ":" + port))
                && !entries.containsKey(normal(host))
                && known().values().stream()
                        .anyMatch(each -> !each.fingerprint().equals(found.fingerprint()));
    }

    /** Returns the identities of the servers that have entries. */
    public Set<Fingerprint> fingerprints() {
        return known().values().stream().map(ServerAccess::fingerprint).collect(Collectors.toSet());
    }

    /** Returns the name of an entry for the server with this identity; null if there is none. */
    public @Nullable String nameOf(Fingerprint identity) {
        for (Map.Entry<String, ServerAccess> each : known().entrySet()) {
            if (each.getValue().fingerprint().equals(identity)) {
                return each.getKey();
            }
        }
        return null;
    }

    /** Returns the access to the server with this identity, whatever it was called; null if there is none. */
    public @Nullable ServerAccess withFingerprint(Fingerprint identity) {
        String name = nameOf(identity);
        return name == null ? null : known().get(name);
    }

    /** Leaves out entries that this version cannot read: they are of other servers. */
    private Map<String, ServerAccess> known() {
        Map<String, ServerAccess> known = new LinkedHashMap<>();
        entries().forEach((name, line) -> {
            try {
                known.put(name, ServerAccess.parse(line));
            } catch (TransferException unreadable) {
                // It fails where it is needed.
            }
        });
        return known;
    }

    private @Nullable ServerAccess ownServer() {
        Fingerprint fingerprint = Identity.fingerprintIn(home);
        IssuedKey key = new KeyStore(home).defaultKey();
        return fingerprint == null || key == null ? null : ServerAccess.of(fingerprint, key);
    }

    private static boolean isThisMachine(String host) {
        try {
            InetAddress address = InetAddress.getByName(host);
            return address.isLoopbackAddress()
                    || address.isAnyLocalAddress()
                    || NetworkInterface.getByInetAddress(address) != null;
        } catch (UnknownHostException | SocketException e) {
            // Connecting will report that the host is unknown; here it only means that the host is not this one.
            return false;
        }
    }

    private Map<String, String> entries() {
        Map<String, String> entries = new LinkedHashMap<>();
        String text = file.read();
        if (text == null) {
            return entries;
        }
        for (String line : text.lines().toList()) {
            String[] parts = BLANKS.split(line.strip(), 2);
            if (parts.length == 2 && !parts[0].startsWith("#")) {
                entries.put(parts[0], parts[1]);
            }
        }
        return entries;
    }

    private static String format(Map<String, String> entries) {
        return entries.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue() + "\n")
                .collect(Collectors.joining());
    }

    private static String normal(String server) {
        return server.strip().toLowerCase(Locale.ROOT);
    }
}
