package io.fdt.core.security;

import io.fdt.core.basic.Right;
import io.fdt.core.basic.Word;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a server, in the file {@code keys} of its home, which has no secret. Every call reads the file, so a
 * running server notices at once what a command created or revoked; {@link #byIds} reads it only if it has changed. The
 * secret of the key {@code default} is in the file {@code default-key}, for clients of the same user on this machine.
 * Thread-safe, also between processes.
 */
public final class KeyStore {
    /** The key that a server creates at its first start. */
    public static final String DEFAULT_NAME = "default";

    private static final String HEADER = "fdt-keys 1";
    private static final int MAX_KEYS = 10_000;
    private static final int MAX_ROOT_CHARS = 4096;
    /** Those of a key's line, besides {@code root}. */
    private static final Set<String> FIELDS =
            Set.of("id", "name", "verifier", "allow", "owners", "expires", "rate", "bytes", "sessions", "user");

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    private final SecretFile file;
    private final SecretFile defaultFile;
    /** Has an empty file for each key that was used, changed at its last use. */
    private final Path uses;
    /** The only keys; null if the keys are in the file. */
    private volatile @Nullable List<AccessKey> held;

    private volatile @Nullable Known known;

    /** The keys of one version of the file. */
    private record Known(Map<String, Object> state, Map<String, AccessKey> byId) {}

    public KeyStore(Path home) {
        this(home, null);
    }

    private KeyStore(Path home, @Nullable List<AccessKey> held) {
        this.file = new SecretFile(home, "keys");
        this.defaultFile = new SecretFile(home, "default-key");
        this.uses = home.resolve("key-uses");
        this.held = held;
    }

    /** Has the keys that {@link #hold} passes to it, at first none, and no file. */
    public static KeyStore withoutFile() {
        return new KeyStore(Path.of(""), List.of());
    }

    /** Has this key alone, and no file. */
    static KeyStore of(AccessKey only) {
        return new KeyStore(Path.of(""), List.of(only));
    }

    /** Replaces the keys of a store without a file by those of a text of {@link #textOf}. */
    public void hold(String text) {
        held = List.copyOf(parse(text));
    }

    /** Returns keys, which include no secrets, as in the file. */
    public static String textOf(List<AccessKey> keys) {
        return format(keys);
    }

    /** Creates a key of this name that is in no file. */
    static IssuedKey unstored() {
        return IssuedKey.of(DEFAULT_NAME, Permission.ALL, null);
    }

    public List<AccessKey> list() {
        List<AccessKey> only = held;
        if (only != null) {
            return only;
        }
        String text = file.read();
        return text == null ? List.of() : parse(text);
    }

    /** Null if the keys are not in a file. */
    public @Nullable Path path() {
        return held == null ? file.path() : null;
    }

    /** All keys by id; reads the file only if it has changed. */
    public Map<String, AccessKey> byIds() {
        List<AccessKey> only = held;
        if (only != null) {
            return only.stream().collect(Collectors.toUnmodifiableMap(AccessKey::id, key -> key));
        }
        Known last = known;
        Map<String, Object> state = HomeFile.state(file.path());
        if (last == null || !last.state.equals(state)) {
            // The version is read first: the content is that version or a later one, and a later one is noticed next
            // time.
            Map<String, AccessKey> keys = new LinkedHashMap<>();
            list().forEach(key -> keys.putIfAbsent(key.id(), key));
            Map<String, AccessKey> read = Collections.unmodifiableMap(keys);
            known = state == null ? null : new Known(state, read);
            return read;
        }
        return last.byId;
    }

    /**
     * Returns why a key that admitted a client is no longer valid, according to the present keys; null if it is valid.
     */
    public static @Nullable Failure objectionTo(AccessKey admitted, Map<String, AccessKey> byIds, Instant moment) {
        AccessKey now = byIds.get(admitted.id());
        if (now == null) {
            return Failure.of(Cause.REVOKED, "the key " + admitted.name() + " has been revoked");
        }
        if (now.isExpired(moment)) {
            return Failure.of(Cause.EXPIRED, "the key " + admitted.name() + " expired at " + now.expires());
        }
        return Objects.equals(now, admitted)
                ? null
                : Failure.of(Cause.REVOKED, "the key " + admitted.name() + " has been changed");
    }

    /** The time by which keys expire. */
    public static Instant now() {
        return Instant.now();
    }

    /** In how many milliseconds the next of the keys that were valid at the last look expires, at most a day. */
    public static long nextExpiryMs(Stream<AccessKey> keys, Instant looked) {
        Instant now = Instant.now();
        Instant tomorrow = now.plus(1, ChronoUnit.DAYS);
        Instant next = keys.map(AccessKey::expires)
                .filter(expires -> expires != null && expires.isAfter(looked) && expires.isBefore(tomorrow))
                .min(Comparator.naturalOrder())
                .orElse(tomorrow);
        return (next.isAfter(now) ? now.until(next, ChronoUnit.MILLIS) : 0) + 1;
    }

    /** Returns the key {@code default} with its secret; null if it was revoked, or its secret is not in this home. */
    public @Nullable IssuedKey defaultKey() {
        String text = defaultFile.read();
        if (text == null) {
            return null;
        }
        try {
            List<AccessKey> keys = list();
            for (String line : text.strip().lines().toList()) {
                Secret secret = Secret.ofBytes(Base64.getUrlDecoder().decode(line));
                for (AccessKey key : keys) {
                    if (key.verifier().equals(secret.verifier())) {
                        return new IssuedKey(key, secret);
                    }
                }
            }
            return null;
        } catch (IllegalArgumentException e) {
            // Omits the cause: the parser's message may quote the secret.
            throw Cause.USAGE.failure(defaultFile.path() + " is damaged; run: fdt key create default --replace");
        }
    }

    /**
     * Is called before the key itself is stored. Until then, and for ever after a crash, the key before it is the valid
     * one, so its secret remains on a second line.
     */
    private void keepIfDefault(IssuedKey made) {
        if (made.key().name().equals(DEFAULT_NAME)) {
            String before = defaultFile.read();
            String newest = before == null ? "" : before.split("\n", 2)[0];
            defaultFile.replace(
                    encode(made.secret().bytes()) + "\n" + (newest.matches("[A-Za-z0-9_-]{43}") ? newest + "\n" : ""));
        }
    }

    /** Creates the key {@code default} if this home has never had keys. A revoked key is not created again. */
    public void createDefaultOnce() {
        if (file.read() != null) {
            return;
        }
        file.exclusively(() -> {
            if (file.read() == null) {
                IssuedKey made = unstored();
                keepIfDefault(made);
                file.replace(format(List.of(made.key())));
            }
            return true;
        });
    }

    /** Creates and stores a key. The name must be new. */
    public IssuedKey create(String name, Permission permission, @Nullable Instant expires) {
        return create(name, permission, expires, false);
    }

    /** @param replacing replace an existing key of that name */
    public IssuedKey create(String name, Permission permission, @Nullable Instant expires, boolean replacing) {
        if (name.isBlank() || name.length() > 100 || name.chars().anyMatch(Character::isISOControl)) {
            throw Cause.USAGE.failure("a key needs a name of 1 to 100 printable characters");
        }
        for (String root : permission.roots()) {
            if (!root.startsWith("/")
                    || root.length() > MAX_ROOT_CHARS
                    || root.chars().anyMatch(Character::isISOControl)) {
                throw Cause.USAGE.failure("a key's root is an absolute path of printable characters");
            }
        }
        IssuedKey made = IssuedKey.of(name, permission, expires);
        change(keys -> {
            List<AccessKey> more = new ArrayList<>(keys);
            if (more.removeIf(key -> key.name().equals(name)) && !replacing) {
                throw Cause.USAGE.failure(
                        "a key named " + name + " already exists; add --replace, or choose another name");
            }
            if (more.size() >= MAX_KEYS) {
                throw Cause.USAGE.failure("there are " + MAX_KEYS + " keys; revoke some first");
            }
            more.add(made.key());
            // Before the secret of the key default is replaced by one without a key.
            file.requireReadable(format(more));
            keepIfDefault(made);
            return more;
        });
        return made;
    }

    /** Removes the key with this id or name; false if there is none. */
    public boolean revoke(String idOrName) {
        boolean[] found = new boolean[1];
        change(keys -> {
            List<AccessKey> rest = new ArrayList<>(keys);
            found[0] =
                    rest.removeIf(key -> key.id().equals(idOrName) || key.name().equals(idOrName));
            return rest;
        });
        return found[0];
    }

    private void change(UnaryOperator<List<AccessKey>> change) {
        file.exclusively(() -> {
            List<AccessKey> before = list();
            List<AccessKey> after = change.apply(before);
            file.replace(format(after));
            before.stream().filter(key -> !after.contains(key)).forEach(key -> forgetUse(key.id()));
            return true;
        });
    }

    /**
     * Notes that a client has proven this key now, if the keys are in a file. A home that cannot be written has none.
     */
    public void noteUse(String id) {
        if (held != null || !ID.matcher(id).matches()) {
            return;
        }
        Path use = uses.resolve(id);
        try {
            try {
                Files.setLastModifiedTime(use, FileTime.from(Instant.now()));
            } catch (NoSuchFileException first) {
                // Not its home, which may be gone.
                if (!Files.isDirectory(uses)) {
                    Files.createDirectory(
                            uses, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
                }
                Files.createFile(
                        use, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
        } catch (IOException unwritable) {
            // The key works without it.
            return;
        }
    }

    /** Returns when a client has proven this key last; null if none is known to have done so. */
    public @Nullable Instant lastUse(String id) {
        try {
            return ID.matcher(id).matches()
                    ? Files.getLastModifiedTime(uses.resolve(id)).toInstant()
                    : null;
        } catch (IOException unknown) {
            return null;
        }
    }

    private void forgetUse(String id) {
        try {
            if (ID.matcher(id).matches()) {
                Files.deleteIfExists(uses.resolve(id));
            }
        } catch (IOException left) {
            // Nobody looks at that of a key that is gone.
            return;
        }
    }

    private static String format(List<AccessKey> keys) {
        StringBuilder text = new StringBuilder(HEADER).append('\n');
        for (AccessKey key : keys) {
            text.append("id=").append(key.id());
            text.append(" name=").append(encode(key.name()));
            text.append(" verifier=").append(encode(key.verifier().bytes()));
            text.append(" allow=")
                    .append(key.permission().rights().stream().map(Word::of).collect(Collectors.joining(",")));
            if (key.permission().owners()) {
                text.append(" owners=yes");
            }
            if (key.expires() != null) {
                text.append(" expires=").append(key.expires());
            }
            KeyLimits limits = key.permission().limits();
            appendLimit(text, "rate", limits.rateBitsPerSecond(), KeyLimits.NONE.rateBitsPerSecond());
            appendLimit(text, "bytes", limits.bytes(), KeyLimits.NONE.bytes());
            appendLimit(text, "sessions", limits.sessions(), KeyLimits.NONE.sessions());
            String user = key.permission().user();
            if (user != null) {
                text.append(" user=").append(encode(user));
            }
            for (String root : key.permission().roots()) {
                text.append(" root=").append(encode(root));
            }
            text.append('\n');
        }
        return text.toString();
    }

    private static void appendLimit(StringBuilder text, String name, long limit, long none) {
        if (limit != none) {
            text.append(' ').append(name).append('=').append(limit);
        }
    }

    /** Throws IllegalArgumentException for a word that is no right. */
    private static Set<Right> rights(String words) {
        Set<Right> rights = EnumSet.noneOf(Right.class);
        for (String word : words.split(",", -1)) {
            rights.add(Right.valueOf(word.toUpperCase(Locale.ROOT)));
        }
        return rights;
    }

    private static KeyLimits limits(Map<String, String> fields) {
        return new KeyLimits(
                Long.parseLong(fields.getOrDefault("rate", "0")),
                Long.parseLong(fields.getOrDefault("bytes", String.valueOf(Long.MAX_VALUE))),
                Integer.parseInt(fields.getOrDefault("sessions", String.valueOf(Integer.MAX_VALUE))));
    }

    private List<AccessKey> parse(String text) {
        List<String> lines = text.lines().toList();
        if (lines.isEmpty() || !lines.get(0).equals(HEADER)) {
            throw damaged(1);
        }
        List<AccessKey> keys = new ArrayList<>();
        for (int index = 1; index < lines.size(); index++) {
            String line = lines.get(index).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            keys.add(parseKey(line, index + 1));
        }
        return keys;
    }

    private AccessKey parseKey(String line, int lineNumber) {
        Map<String, String> fields = new LinkedHashMap<>();
        List<String> roots = new ArrayList<>();
        try {
            for (String field : line.split(" ", -1)) {
                int equals = field.indexOf('=');
                String name = field.substring(0, Math.max(equals, 0));
                String value = field.substring(equals + 1);
                if (name.equals("root")) {
                    roots.add(decode(value));
                } else if (!FIELDS.contains(name) || fields.put(name, value) != null) {
                    // A limit that is not understood must not be dropped.
                    throw damaged(lineNumber);
                }
            }
            String id = fields.get("id");
            String name = fields.get("name");
            String verifier = fields.get("verifier");
            String allow = fields.get("allow");
            String expires = fields.get("expires");
            String encodedUser = fields.get("user");
            String user = encodedUser == null ? null : decode(encodedUser);
            if (id == null || name == null || verifier == null || allow == null) {
                throw damaged(lineNumber);
            }
            return new AccessKey(
                    id,
                    decode(name),
                    Fingerprint.ofBytes(Base64.getUrlDecoder().decode(verifier)),
                    new Permission(rights(allow), "yes".equals(fields.get("owners")), roots, limits(fields), user),
                    expires == null ? null : Instant.parse(expires));
        } catch (IllegalArgumentException | DateTimeException e) {
            throw damaged(lineNumber);
        }
    }

    private TransferException damaged(int lineNumber) {
        return Cause.USAGE.failure(file.path() + " is damaged at line " + lineNumber
                + ", or has a field there that this version does not know: repair or remove that line");
    }

    private static String encode(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static String encode(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    private static String decode(String value) {
        return URLDecoder.decode(value, StandardCharsets.UTF_8);
    }
}
