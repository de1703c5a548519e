package io.fdt.core.security;

import io.fdt.core.basic.NewFile;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A small text file in the home directory that only its user may read. Readers see all of it or nothing: it is written
 * under a temporary name, flushed, and then linked or renamed. Processes that change it use a lock file.
 */
public final class SecretFile {
    private static final Set<PosixFilePermission> OWNER_FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OWNER_DIRECTORY = PosixFilePermissions.fromString("rwx------");
    /** File locks belong to the process, so its threads need a lock of their own. */
    private static final Object IN_PROCESS = new Object();

    private final Path file;

    SecretFile(Path home, String name) {
        this.file = home.resolve(name);
    }

    Path path() {
        return file;
    }

    /** Returns the text; null if there is no such file. */
    @Nullable String read() {
        byte[] bytes = HomeFile.readSecret(file);
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
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
        if (text.getBytes(StandardCharsets.UTF_8).length > HomeFile.MAX_BYTES) {
            throw Cause.USAGE.failure(file + " would be longer than " + (HomeFile.MAX_BYTES >> 20)
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
                ? Cause.USAGE.failure(cannot + ": something else is in its place; " + setting, e)
                : TransferException.ofOwnFile(cannot, e, setting);
    }
}
