package io.fdt.core.basic;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A file that gets its name when it is complete and durable. It is written in the same directory as {@code
 * .fdt.RANDOM.new}, which is newly created and never opened through a link, so no file of a user is changed. {@link
 * #publish} flushes it, renames it, and flushes the directory. Until then an existing file keeps the name. For one
 * thread.
 */
public final class NewFile implements AutoCloseable {
    /** A glob for the files that killed processes leave behind. */
    public static final String LEFTOVERS = ".fdt.*.new";

    private final Path file;
    private final @Nullable Path temporary;
    private final FileChannel channel;

    private NewFile(Path file, @Nullable Path temporary, FileChannel channel) {
        this.file = file;
        this.temporary = temporary;
        this.channel = channel;
    }

    /** For a file of fdt: replaces anything that has the name. */
    public static NewFile of(Path file, FileAttribute<?>... attributes) throws IOException {
        String name = Figures.text(".fdt.%016x.new", ThreadLocalRandom.current().nextLong());
        Path temporary = file.toAbsolutePath().resolveSibling(name);
        Set<StandardOpenOption> anew = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        return new NewFile(file.toAbsolutePath(), temporary, FileChannel.open(temporary, anew, attributes));
    }

    /**
     * For a file that the user specified: a link is kept and its target is replaced. A pipe or device is kept and
     * written to directly.
     */
    public static NewFile named(Path file) throws IOException {
        if (Files.isRegularFile(file)) {
            return of(file.toRealPath());
        }
        return Files.exists(file)
                ? new NewFile(file, null, FileChannel.open(file, StandardOpenOption.WRITE))
                : of(file);
    }

    /** Writes all of a file that the user specified. */
    public static void write(Path file, byte[] content) throws IOException {
        try (NewFile written = named(file)) {
            written.stream().write(content);
            written.publish();
        }
    }

    /** Opens a temporary file that has no name, so it is gone with its last descriptor, even of a killed process. */
    public static RandomAccessFile withoutName(String stem) throws IOException {
        Path name = Files.createTempFile(stem, null);
        try {
            return new RandomAccessFile(name.toFile(), "rw");
        } finally {
            Files.delete(name);
        }
    }

    /** The stream to write to; not buffered, and closed with the file. */
    public OutputStream stream() {
        return Channels.newOutputStream(channel);
    }

    /** Gives the file its name, durably. */
    public void publish() throws IOException {
        if (temporary != null) {
            channel.force(true);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            flushDirectory(file.getParent());
        }
    }

    /** Gives the file its name, durably, unless the name exists; then returns false. For a file of fdt. */
    public boolean publishIfAbsent() throws IOException {
        channel.force(true);
        try {
            Files.createLink(file, Objects.requireNonNull(temporary));
        } catch (FileAlreadyExistsException anotherWasFirst) {
            return false;
        }
        flushDirectory(file.getParent());
        return true;
    }

    /** Makes the names in a directory durable. */
    public static void flushDirectory(@Nullable Path directory) throws IOException {
        try (FileChannel opened =
                FileChannel.open(directory == null ? Path.of("/") : directory, StandardOpenOption.READ)) {
            opened.force(true);
        }
    }

    /** Removes the file if it was not published. */
    @Override
    public void close() throws IOException {
        try (channel) {
            if (temporary != null) {
                Files.deleteIfExists(temporary);
            }
        }
    }
}
