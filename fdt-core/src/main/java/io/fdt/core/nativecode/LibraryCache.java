package io.fdt.core.nativecode;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The libraries of {@code java -jar}, unpacked once for each user: in {@code fdt} in {@code $XDG_CACHE_HOME} or {@code
 * ~/.cache}. Only a directory that belongs to this user and that nobody else can access is used. A file's name contains
 * the checksum and the length of its content, as the jar's index has them. They are verified before each use, which
 * protects from damage; the directory's owner and mode protect from other users.
 */
final class LibraryCache {
    private static final String NAME = "fdt";
    private static final int PERMISSIONS = 0777;
    private static final int OWN_DIRECTORY = 0700;

    private final Map<String, String> environment;

    LibraryCache(Map<String, String> environment) {
        this.environment = environment;
    }

    /** Returns the unpacked file; null if there is no directory that can be used. */
    @Nullable Path file(String fileName, JarURLConnection jar) {
        try {
            Path directory = directory();
            if (directory == null) {
                return null;
            }
            JarEntry entry = jar.getJarEntry();
            String stem = fileName.substring(0, fileName.lastIndexOf('.'));
            String content = Long.toHexString(entry.getCrc()) + "-" + Long.toHexString(entry.getSize());
            Path file = directory.resolve(stem + "-" + content + ".so");
            if (!isWhole(file, entry)) {
                Path beside = Files.createTempFile(directory, stem, ".new");
                try {
                    unpack(jar, beside);
                    Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
                } finally {
                    Files.deleteIfExists(beside);
                }
            }
            return file;
        } catch (IOException | RuntimeException unusable) {
            // A full or read-only disk, or a path that Java cannot represent.
            return null;
        }
    }

    static void unpack(JarURLConnection jar, Path file) throws IOException {
        try (InputStream library = jar.getInputStream()) {
            Files.copy(library, file, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static boolean isWhole(Path file, JarEntry entry) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            CRC32 sum = new CRC32();
            sum.update(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()));
            return channel.size() == entry.getSize() && sum.getValue() == entry.getCrc();
        }
    }

    /** Returns the directory, and creates it; null if it cannot be this user's own. */
    private @Nullable Path directory() throws IOException {
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
