package io.fdt.monitor;

import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.source.DirectoryReader;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;

/**
 * The partials below a directory, by the names that {@code docs/reliability.md} describes. It asks for the status of
 * partials only: to ask for the status of every file takes five times as long. For one thread.
 */
final class Partials {
    /** Directories beyond these are read at once, each with a descriptor until those below it are done. */
    static final int MAX_WAITING = 10_000;

    private static final String ENDING = ".part";

    private final long maxEntries;
    private final BooleanSupplier stops;
    private final ArrayDeque<RawPath> waiting = new ArrayDeque<>();
    private final ArrayDeque<ByteBuffer> spare = new ArrayDeque<>();
    private final FileStatus status = new FileStatus();
    private long entries;
    private long count;
    private long bytes;
    private boolean isCut;

    private Partials(long maxEntries, BooleanSupplier stops) {
        this.maxEntries = maxEntries;
        this.stops = stops;
    }

    /**
     * Counts the partials below a root; what cannot be read has none.
     *
     * @param stops whether to end early, without a result
     */
    static Partials below(Path root, long maxEntries, BooleanSupplier stops) {
        Partials found = new Partials(maxEntries, stops);
        found.read(RawPath.of(root), 0);
        for (RawPath next = found.waiting.poll(); next != null && !found.isCut; next = found.waiting.poll()) {
            found.read(next, Paths.O_NOFOLLOW);
        }
        return found;
    }

    /** Whether there are too many entries, or it was to stop. */
    boolean isCut() {
        return isCut;
    }

    long count() {
        return count;
    }

    /** What they occupy: a partial has the size of its file from the first chunk on. */
    long bytes() {
        return bytes;
    }

    private void read(RawPath directory, int flags) {
        int fd = Paths.openat(Paths.AT_FDCWD, directory, Paths.O_RDONLY | Paths.O_DIRECTORY | flags, 0);
        if (fd < 0) {
            return;
        }
        ByteBuffer buffer = spare.poll();
        DirectoryReader reader =
                new DirectoryReader(Descriptor.ofProcess(fd), buffer == null ? DirectoryReader.newBuffer() : buffer);
        try {
            for (RawPath name = reader.next(); name != null && !isCut; name = reader.next()) {
                entries++;
                isCut = entries > maxEntries || stops.getAsBoolean();
                if (isDirectory(fd, name, reader.type())) {
                    enter(directory.resolve(name));
                } else if (isPartial(name) && stat(fd, name)) {
                    count++;
                    bytes += status.allocatedBytes();
                }
            }
        } finally {
            ByteBuffer used = reader.suspend();
            if (used != null) {
                spare.push(used);
            }
        }
    }

    private void enter(RawPath directory) {
        if (waiting.size() < MAX_WAITING) {
            waiting.push(directory);
        } else if (!isCut) {
            read(directory, Paths.O_NOFOLLOW);
        }
    }

    private boolean isDirectory(int fd, RawPath name, int type) {
        return type == DirectoryReader.DIRECTORY
                || (type == DirectoryReader.UNKNOWN && stat(fd, name) && status.isDirectory());
    }

    private boolean stat(int fd, RawPath name) {
        return FileMetadata.statat(fd, name, Paths.AT_SYMLINK_NOFOLLOW, status) == 0;
    }

    private static boolean isPartial(RawPath name) {
        return PartialNames.isReserved(name) && name.text().endsWith(ENDING);
    }
}
