package io.fdt.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What an interrupted copy has under the names of its files. */
final class FinalNames {
    private FinalNames() {}

    /**
     * Fails if a file has anything else under its name than its complete copy, or what was there before: the older
     * file, or nothing. Returns the paths of those without their copies, relative to the trees.
     *
     * @param older the target before the copy; null if it was empty
     */
    static List<Path> missing(Path source, @Nullable Path older, Path target) {
        List<Path> missing = new ArrayList<>();
        for (Path file : files(source)) {
            Path relative = source.relativize(file);
            Path there = target.resolve(relative);
            if (!isSame(file, there)) {
                missing.add(relative);
                boolean hadOld = older != null && isFile(older.resolve(relative));
                boolean asBefore = hadOld
                        ? isSame(older.resolve(relative), there)
                        : !Files.exists(there, LinkOption.NOFOLLOW_LINKS);
                // Servers whose client was killed still copy, so it may have got its name meanwhile.
                if (!asBefore && !isSame(file, there)) {
                    throw new AssertionError(
                            there + " is neither the new file nor " + (hadOld ? "the old one" : "absent") + "\n"
                                    + Shell.run("ls", "-l", "--full-time", file, there));
                }
            }
        }
        return missing;
    }

    static List<Path> files(Path tree) {
        try (Stream<Path> all = Files.walk(tree)) {
            return all.filter(FinalNames::isFile).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static boolean isFile(Path path) {
        return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** Whether both are files with the same content, time and mode. */
    static boolean isSame(Path file, Path there) {
        try {
            return isFile(there)
                    && Files.mismatch(file, there) == -1
                    && Files.getLastModifiedTime(file).equals(Files.getLastModifiedTime(there))
                    && Files.getPosixFilePermissions(file).equals(Files.getPosixFilePermissions(there));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
