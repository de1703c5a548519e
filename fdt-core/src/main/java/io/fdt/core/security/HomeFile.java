package io.fdt.core.security;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads files of a home directory, all by the same rules: nobody else can have written such a file, or put it there.
 * The owner is this user or root, and so is that of a link; others cannot write to it; the directory is closed to
 * others, or sticky.
 */
public final class HomeFile {
    /** Far more than any of these files needs, and little enough to read. */
    static final long MAX_BYTES = 4 << 20;

    /** Longer than the resolution of a file system's timestamps. */
    private static final long FRESH_MS = 50;

    private static final int USED_BY_OTHERS = 066;
    private static final int WRITABLE_BY_OTHERS = 022;
    /** In such a directory, only the owner of a file can replace it. */
    private static final int STICKY = 01000;

    private static final int ROOT = 0;
    /** Stands for any user that is not known here, as in containers and on file servers. */
    private static final int NOBODY = 65_534;

    private static final String HOME = "set FDT_HOME to a directory of your own";

    private HomeFile() {}

    /** What others must not do with a file. */
    private enum Rule {
        SECRET(USED_BY_OTHERS, "contains a secret and other users can access it", "run chmod 600 ", HOME),
        SETTINGS(WRITABLE_BY_OTHERS, "decides what fdt does and other users can change it", "run chmod go-w ", HOME),
        TOKEN(
                WRITABLE_BY_OTHERS,
                "contains a token and other users can change it",
                "run chmod go-w ",
                "use --token-file to name a file of your own");

        final int forbidden;
        final String problem;
        final String remedy;
        final String otherPlace;

        Rule(int forbidden, String problem, String remedy, String otherPlace) {
            this.forbidden = forbidden;
            this.problem = problem;
            this.remedy = remedy;
            this.otherPlace = otherPlace;
        }
    }

    /**
     * Identifies a version of the file, or that there is none; null if it is so new that another change might not be
     * visible, or if it cannot be found out.
     */
    public static @Nullable Map<String, Object> state(Path file) {
        try {
            Map<String, Object> attributes = Files.readAttributes(file, "unix:ino,ctime,size");
            FileTime changed = (FileTime) attributes.get("ctime");
            if (changed == null) {
                return null;
            }
            return changed.toInstant().isBefore(Instant.now().minusMillis(FRESH_MS)) ? attributes : null;
        } catch (NoSuchFileException none) {
            return Map.of();
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            // Reading the file reports the reason.
            return null;
        }
    }

    /** Returns the content of a file that others must not read either; null if there is none. */
    static byte @Nullable [] readSecret(Path file) {
        return read(file, Rule.SECRET);
    }

    /** Returns the content of a file of settings; null if there is none. */
    public static byte @Nullable [] readSettings(Path file) {
        return read(file, Rule.SETTINGS);
    }

    /** Returns the content of a file that contains a token; null if there is none. */
    static byte @Nullable [] readToken(Path file) {
        return read(file, Rule.TOKEN);
    }

    private static byte @Nullable [] read(Path file, Rule rule) {
        try {
            requireTrusted(file, rule);
            if (Files.size(file) > MAX_BYTES) {
                throw Cause.USAGE.failure(file + " is not a file of fdt: it is too long");
            }
            return Files.readAllBytes(file);
        } catch (NoSuchFileException none) {
            return null;
        } catch (IOException e) {
            throw TransferException.ofOwnFile("cannot read " + file, e, rule.otherPlace);
        }
    }

    private static void requireTrusted(Path file, Rule rule) throws IOException {
        if ((attribute(file, "mode") & rule.forbidden) != 0) {
            throw Cause.REFUSED.advise(rule.remedy + file).failure(file + " " + rule.problem);
        }
        Path directory = file.toAbsolutePath().getParent();
        if (directory == null) {
            throw new IllegalStateException(file + " has no directory");
        }
        int mode = attribute(directory, "mode");
        boolean shared = (mode & WRITABLE_BY_OTHERS) != 0;
        if (shared && (mode & STICKY) == 0) {
            throw Cause.REFUSED
                    .advise("run chmod go-w " + directory)
                    .failure(directory + " contains secrets and other users can replace them");
        }
        requireOwner(file, attribute(file, "uid"), shared, rule);
        requireOwner(file, attribute(file, "uid", LinkOption.NOFOLLOW_LINKS), shared, rule);
    }

    /** In a directory where others may put files, not even root takes those of others. */
    private static void requireOwner(Path file, int owner, boolean shared, Rule rule) {
        int user = Libc.geteuid();
        if (!mayOwn(owner, user) || (shared && owner != user && owner != ROOT)) {
            throw Cause.REFUSED
                    .advise(rule.otherPlace)
                    .failure(file + " belongs to another user (uid " + owner + "), who decides what fdt does");
        }
    }

    private static int attribute(Path path, String name, LinkOption... options) throws IOException {
        return (int) Files.getAttribute(path, "unix:" + name, options);
    }

    /** Whether a user may trust a file of another owner. Root must decide for itself. */
    public static boolean mayOwn(int owner, int user) {
        return owner == user || owner == ROOT || owner == NOBODY || user == ROOT;
    }
}
