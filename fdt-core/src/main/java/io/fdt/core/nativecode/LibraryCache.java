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
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The libraries of {@code java -jar}, unpacked once for each user into the {@link UserCache}. A file's name contains
 * the checksum and the length of its content, as the jar's index has them. They are verified before each use, which
 * protects from damage.
 */
final class LibraryCache {
    private final Map<String, String> environment;

    LibraryCache(Map<String, String> environment) {
        this.environment = environment;
    }

    /** Returns the unpacked file; null if there is no directory that can be used. */
    @Nullable Path file(String fileName, JarURLConnection jar) {
        try {
            Path directory = new UserCache(environment).directory();
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
}
