package io.fdt.core.nativecode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The directory for what {@code java -jar} keeps from one run to the next: {@code fdt} in {@code $XDG_CACHE_HOME} or
 * {@code ~/.cache}. It is used only if it belongs to this user and nobody else can access it, because what is in it
 * gets executed.
 */
public final class UserCache {
    private static final String NAME = "fdt";
    private static final int PERMISSIONS = 0777;
    private static final int OWN_DIRECTORY = 0700;

    private final Map<String, String> environment;

    public UserCache(Map<String, String> environment) {
        this.environment = environment;
    }

    /** Returns the directory, and creates it; null if it cannot be this user's own. */
    public @Nullable Path directory() throws IOException {
        Path parent = parent();
        if (parent == null) {
            return null;
        }
        int user = owner(Path.of("/proc/self"));
        Path directory = parent.resolve(NAME);
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            Path existing = parent;
            while (existing != null && !Files.exists(existing)) {
                existing = existing.getParent();
            }
            // With sudo, the home may be that of another user, who could not use the directory later.
            if (existing == null || owner(existing) != user) {
                return null;
            }
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        boolean isOwn = Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                && owner(directory) == user
                && permissions(directory) == OWN_DIRECTORY;
        return isOwn ? directory : null;
    }

    private @Nullable Path parent() {
        String cache = environment.getOrDefault("XDG_CACHE_HOME", "");
        if (cache.startsWith("/")) {
            return Path.of(cache);
        }
        String home = environment.getOrDefault("HOME", "");
        return home.startsWith("/") ? Path.of(home, ".cache") : null;
    }

    private static int owner(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:uid");
    }

    private static int permissions(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode") & PERMISSIONS;
    }
}
