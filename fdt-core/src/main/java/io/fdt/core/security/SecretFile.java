package io.fdt.core.security;

import io.fdt.core.FailureKind;
import io.fdt.core.NewFile;
import io.fdt.core.TransferException;
import io.fdt.core.nativecode.Libc;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A small text file in the home directory that only its user may read. Readers see all of it or nothing: it is written
 * under a temporary name, flushed, and then linked or renamed. Processes that change it use a lock file.
 */
public final class SecretFile {
    /** Far more than any of these files needs, and little enough to read. */
    private static final long MAX_BYTES = 4 << 20;

    /** Longer than the resolution of a file system's timestamps. */
    private static final long FRESH_MS = 50;

    private static final Set<PosixFilePermission> OWNER_FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OWNER_DIRECTORY = PosixFilePermissions.fromString("rwx------");
    private static final int USED_BY_OTHERS = 066;
    private static final int WRITABLE_BY_OTHERS = 022;
    /** In such a directory, only the owner of a file can replace it. */
    private static final int STICKY = 01000;

    private static final int ROOT = 0;
    /** Stands for any user that is not known here, as in containers and on file servers. */
    private static final int NOBODY = 65_534;

    /** File locks belong to the process, so its threads need a lock of their own. */
    private static final Object IN_PROCESS = new Object();

    private final Path file;

    SecretFile(Path home, String name) {
        this.file = home.resolve(name);
    }

    Path path() {
        return file;
    }

    /**
     * Identifies a version of the file; null if there is no file, or if it is so new that another change might not be
     * visible.
     */
    @Nullable Map<String, Object> state() {
        try {
            Map<String, Object> attributes = Files.readAttributes(file, "unix:ino,ctime,size");
            FileTime changed = (FileTime) attributes.get("ctime");
            if (changed == null) {
                return null;
            }
            return changed.toInstant().isBefore(Instant.now().minusMillis(FRESH_MS)) ? attributes : null;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            // Reading the file reports the reason.
            return null;
        }
    }

    /** Returns the text; null if there is no such file. */
    @Nullable String read() {
        try {
            requirePrivate();
            if (Files.size(file) > MAX_BYTES) {
                throw FailureKind.USAGE.failure(file + " is not a file of fdt: it is too long");
            }
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            throw failed("read", e);
        }
    }

    private void requirePrivate() throws IOException {
        if ((attribute(file, "mode") & USED_BY_OTHERS) != 0) {
            throw FailureKind.REFUSED.failure(
                    file + " contains a secret and other users can access it; run chmod 600 " + file);
        }
        int owner = attribute(file, "uid");
        if (!mayOwn(owner, Libc.geteuid())) {
            throw FailureKind.REFUSED.failure(file + " contains a secret and belongs to another user (uid " + owner
                    + "); set FDT_HOME to a directory of your own");
        }
        int mode = attribute(directory(), "mode");
        if ((mode & WRITABLE_BY_OTHERS) != 0 && (mode & STICKY) == 0) {
            throw FailureKind.REFUSED.failure(
                    directory() + " contains secrets and other users can replace them; run chmod go-w " + directory());
        }
    }

    private static int attribute(Path path, String name) throws IOException {
        return (int) Files.getAttribute(path, "unix:" + name);
    }

    /** Whether a user may trust a file of another owner. Root must decide for itself. */
    public static boolean mayOwn(int owner, int user) {
        return owner == user || owner == ROOT || owner == NOBODY || user == ROOT;
    }

    /** Writes the file if there is none; false if another process was first. */
    boolean create(String text) {
        requireReadable(text);
        try (NewFile written = writtenBeside(text)) {
            return written.publishIfAbsent();
        } catch (IOException e) {
            throw failed("create", e);
        }
    }

    void replace(String text) {
        requireReadable(text);
        try (NewFile written = writtenBeside(text)) {
            written.publish();
        } catch (IOException e) {
            throw failed("write", e);
        }
    }

    /** Throws USAGE if the text is too long for {@link #read}. */
    void requireReadable(String text) {
        if (text.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            throw FailureKind.USAGE.failure(file + " would be longer than " + (MAX_BYTES >> 20)
                    + " MiB, and fdt could not read it any more; remove some of its entries first");
        }
    }

    /** Runs the change while no other thread or process changes this file. */
    <T> T exclusively(Supplier<T> change) {
        synchronized (IN_PROCESS) {
            try {
                createHome();
                Path lockFile = file.resolveSibling(file.getFileName() + ".lock");
                try (FileChannel channel = FileChannel.open(
                                lockFile,
                                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                                PosixFilePermissions.asFileAttribute(OWNER_FILE));
                        FileLock lock = channel.lock()) {
                    if (!lock.isValid()) {
                        throw new IOException("the lock was lost");
                    }
                    return change.get();
                }
            } catch (IOException e) {
                throw failed("lock", e);
            }
        }
    }

    private NewFile writtenBeside(String text) throws IOException {
        createHome();
        NewFile written = NewFile.of(file, PosixFilePermissions.asFileAttribute(OWNER_FILE));
        try {
            written.stream().write(text.getBytes(StandardCharsets.UTF_8));
            return written;
        } catch (IOException e) {
            written.close();
            throw e;
        }
    }

    private void createHome() throws IOException {
        Path home = directory();
        if (Files.isDirectory(home)) {
            return;
        }
        Path parent = home.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        try {
            Files.createDirectory(home, PosixFilePermissions.asFileAttribute(OWNER_DIRECTORY));
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(home)) {
                throw e;
            }
        }
    }

    private Path directory() {
        Path directory = file.toAbsolutePath().getParent();
        if (directory == null) {
            throw new IllegalStateException(file + " has no directory");
        }
        return directory;
    }

    private TransferException failed(String what, IOException e) {
        String cannot = "cannot " + what + " " + file;
        String setting = "set FDT_HOME to use another directory";
        return e instanceof FileAlreadyExistsException || e instanceof DirectoryNotEmptyException
                ? FailureKind.USAGE.failure(cannot + ": something else is in its place; " + setting, e)
                : TransferException.ofOwnFile(cannot, e, setting);
    }
}
