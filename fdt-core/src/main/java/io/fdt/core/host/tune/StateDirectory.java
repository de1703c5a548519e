package io.fdt.core.host.tune;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The directory of the journal, held open. Undo writes the values in the journal, usually as root, so the directory and
 * its files must belong to the running user and be writable by no other user. No link is followed, neither to the
 * directory nor inside it.
 */
final class StateDirectory implements AutoCloseable {
    private static final FileAttribute<?> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path path;
    private final SecureDirectoryStream<Path> held;

    private StateDirectory(Path path, SecureDirectoryStream<Path> held) {
        this.path = path;
        this.held = held;
    }

    /** @throws TransferException REFUSED if another user could write to it */
    static StateDirectory open(Path path) throws IOException {
        Path absolute = path.toAbsolutePath();
        Path parent = absolute.getParent();
        Path name = absolute.getFileName();
        if (parent == null || name == null) {
            throw new IOException("it has no name");
        }
        StateDirectory state;
        try (DirectoryStream<Path> above = Files.newDirectoryStream(parent)) {
            state = new StateDirectory(path, secure(secure(above).newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)));
        }
        try {
            state.requireOwn(path, state.held.getFileAttributeView(PosixFileAttributeView.class));
            return state;
        } catch (IOException | RuntimeException e) {
            state.close();
            throw e;
        }
    }

    private static SecureDirectoryStream<Path> secure(DirectoryStream<Path> directory) throws IOException {
        if (directory instanceof SecureDirectoryStream<Path> secure) {
            return secure;
        }
        throw new IOException("this system cannot hold a directory open");
    }

    Path resolve(String name) {
        return path.resolve(name);
    }

    private void requireOwn(Path shown, PosixFileAttributeView view) throws IOException {
        PosixFileAttributes attributes = view.readAttributes();
        // The user of this process.
        if (!attributes.owner().equals(Files.getOwner(Path.of("/proc/self")))) {
            throw Cause.REFUSED
                    .advise("nothing was changed. Give another directory with --state")
                    .failure(shown + " belongs to " + attributes.owner().getName()
                            + ", not to the user who runs fdt tune");
        }
        if (attributes.permissions().contains(PosixFilePermission.GROUP_WRITE)
                || attributes.permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
            throw Cause.REFUSED
                    .advise("nothing was changed. Check what is in it, then run chmod go-w " + shown)
                    .failure("other users can write to " + shown);
        }
    }

    /** Null if there is no such file. */
    @Nullable String read(String name) throws IOException {
        PosixFileAttributeView view =
                held.getFileAttributeView(Path.of(name), PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        try {
            if (!view.readAttributes().isRegularFile()) {
                throw new IOException("it is not a regular file");
            }
        } catch (NoSuchFileException none) {
            return null;
        }
        requireOwn(path.resolve(name), view);
        try (FileChannel channel = open(name, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
            ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(channel.size()));
            while (bytes.hasRemaining() && channel.read(bytes) >= 0) {}
            return new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1);
        }
    }

    /** The new text is durable when this returns; until then the old one remains. */
    void replace(String name, String text) throws IOException {
        String next = name + ".next";
        deleteIfExists(next);
        try (FileChannel channel = open(
                next, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        held.move(Path.of(next), held, Path.of(name));
        flush();
    }

    /** The deletion is durable when this returns. */
    void delete(String name) throws IOException {
        deleteIfExists(name);
        flush();
    }

    FileChannel lockFile() throws IOException {
        return open("lock", Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
    }

    private void deleteIfExists(String name) throws IOException {
        try {
            held.deleteFile(Path.of(name));
        } catch (NoSuchFileException gone) {
            // Already deleted.
            return;
        }
    }

    private void flush() throws IOException {
        try (FileChannel channel = open(".", Set.of(StandardOpenOption.READ))) {
            channel.force(true);
        }
    }

    private FileChannel open(String name, Set<? extends OpenOption> options) throws IOException {
        return (FileChannel) held.newByteChannel(Path.of(name), options, PRIVATE);
    }

    @Override
    public void close() throws IOException {
        held.close();
    }
}
