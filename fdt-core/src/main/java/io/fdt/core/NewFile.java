package io.fdt.core;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A file that gets its name when it is whole and durable. It is written beside that name as {@code .fdt.RANDOM.new},
 * which is made anew and never opened through a link, so no file of a user is touched. {@link #publish} flushes it,
 * renames it, and flushes the directory. What stood under the name stays until then. One thread.
 */
public final class NewFile implements AutoCloseable {
    /** What a process that was killed leaves behind, as a glob. */
    public static final String LEFTOVERS = ".fdt.*.new";

    private final Path file;
    private final @Nullable Path temporary;
    private final FileChannel channel;

    private NewFile(Path file, @Nullable Path temporary, FileChannel channel) {
        this.file = file;
        this.temporary = temporary;
        this.channel = channel;
    }

    /** For a file of our own: whatever stands under the name is replaced. */
    public static NewFile of(Path file, FileAttribute<?>... attributes) throws IOException {
        String name = String.format(
                Locale.ROOT, ".fdt.%016x.new", ThreadLocalRandom.current().nextLong());
        Path temporary = file.toAbsolutePath().resolveSibling(name);
        Set<StandardOpenOption> anew = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        return new NewFile(file.toAbsolutePath(), temporary, FileChannel.open(temporary, anew, attributes));
    }

    /**
     * For a file that the user named: a link stays and what it leads to is replaced. A pipe or device stays and is
     * written to at once.
     */
    public static NewFile named(Path file) throws IOException {
        if (Files.isRegularFile(file)) {
            return of(file.toRealPath());
        }
        return Files.exists(file)
                ? new NewFile(file, null, FileChannel.open(file, StandardOpenOption.WRITE))
                : of(file);
    }

    /** All of a file that the user named. */
    public static void write(Path file, byte[] content) throws IOException {
        try (NewFile written = named(file)) {
            written.stream().write(content);
            written.publish();
        }
    }

    /** Its bytes; not buffered, and closed with the file. */
    public OutputStream stream() {
        return Channels.newOutputStream(channel);
    }

    /** Gives it its name, durably. */
    public void publish() throws IOException {
        if (temporary != null) {
            channel.force(true);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            flushDirectory(file.getParent());
        }
    }

    /** Gives it its name, durably, unless something has that name; false then. For a file of our own. */
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

    /** Leaves nothing behind that has no name. */
    @Override
    public void close() throws IOException {
        try (channel) {
            if (temporary != null) {
                Files.deleteIfExists(temporary);
            }
        }
    }
}
