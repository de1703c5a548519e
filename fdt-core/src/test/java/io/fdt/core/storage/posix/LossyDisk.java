package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A disk that loses unflushed data. It works on real files in a directory of the test and remembers what was not
 * flushed: the old bytes of every piece that was written, old lengths, modes and times, and the names that were added
 * to and removed from every directory. {@link #cutPower} restores a random part of the old state, as a device may do
 * before it is told to flush. The disk is stricter than most file systems: only the flush of a directory makes its
 * names durable. A change of a name is kept entirely or not at all, and a change that builds on a lost one is lost too.
 * A failed flush loses part of its data at once, and the next flush does not make that data durable. Attributes are
 * kept as soon as they are set, as before any later name on a file system that keeps the order of its metadata; that
 * one was removed may be forgotten.
 *
 * <p>After {@link #kill} or {@link #cutPower} every call fails and changes nothing, and all open files are closed,
 * because the process that used the disk has ended. {@link #restart} starts the next process. Thread-safe.
 */
public final class LossyDisk implements Disk, AutoCloseable {
    /** The kinds of calls that can be made to fail. */
    public enum Kind {
        OPEN,
        READ,
        WRITE,
        TRUNCATE,
        ALLOCATE,
        PUNCH,
        METADATA,
        SYNC,
        NAME,
        RENAME,
        UNLINK,
        CLOSE,
        MAP
    }

    /** Thrown when the process ends in the middle of a call. */
    public static final class Gone extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static final int NEVER = -1;
    private static final int DIRECT_BYTES = 512;

    /** Holds files that no longer have a name, because their names may be restored. */
    private final Path attic;

    private final Random random;
    private final int pieceBytes;
    /** In the order of first use, so that a seed reproduces the same losses. */
    private final Map<Long, LossyFile> files = new LinkedHashMap<>();

    private final Map<Integer, LossyFile> open = new HashMap<>();
    /** Files that have no name yet. Only a flush of the file system reaches them. */
    private final Set<LossyFile> nameless = new HashSet<>();

    /** The open descriptors that accept only aligned I/O. */
    private final Set<Integer> direct = new HashSet<>();

    private final IdentityHashMap<ByteBuffer, LossyFile> mapped = new IdentityHashMap<>();
    private final Map<Path, LossyNames> directories = new LinkedHashMap<>();
    private final Set<Path> flushedDirectories = new HashSet<>();
    private final Map<Kind, Integer> counts = new EnumMap<>(Kind.class);
    private final Map<Kind, Failure> failures = new EnumMap<>(Kind.class);
    private final Map<Long, Map<RawPath, byte[]>> attributes = new HashMap<>();
    private final Map<Long, Map<RawPath, byte[]>> removedAttributes = new HashMap<>();
    private boolean hasAttributes = true;
    private int callsLeft = NEVER;
    private boolean gone;
    private UUID boot = UUID.randomUUID();

    private record Failure(int atCount, int errno) {}

    /**
     * @param attic an empty directory beside the directory in use
     * @param pieceBytes the unit that the device keeps or loses as a whole: 512 or 4096
     */
    public LossyDisk(Path attic, Random random, int pieceBytes) {
        this.attic = attic;
        this.random = random;
        this.pieceBytes = pieceBytes;
    }

    /**
     * Ends the process during the call that follows the given number of calls, before or after that call takes effect.
     */
    public synchronized void goAfter(int calls) {
        callsLeft = calls;
    }

    public synchronized void failAfter(Kind kind, int calls, int errno) {
        failures.put(kind, new Failure(count(kind) + calls, errno));
    }

    /** Whether the process has ended within a call. */
    public synchronized boolean isGone() {
        return gone;
    }

    /** Simulates a file system without extended attributes. */
    public synchronized void refuseAttributes() {
        hasAttributes = false;
    }

    public synchronized int count(Kind kind) {
        return counts.getOrDefault(kind, 0);
    }

    /** Returns the directories that were flushed individually, together with their names and their own metadata. */
    public synchronized Set<Path> flushedDirectories() {
        return Set.copyOf(flushedDirectories);
    }

    /** Returns how many bytes this process has read from the file at this path. */
    public synchronized long readBytes(Path file) {
        return fileAt(file).readBytes;
    }

    /**
     * Ends the process without notice. Everything that it wrote stays, flushed or not. The caller must have closed its
     * root and its tree first.
     */
    public synchronized void kill() {
        List<Integer> directoriesOfOpenFiles = openElsewhere();
        gone = true;
        mapped.keySet().forEach(FileData::unmap);
        mapped.clear();
        open.keySet().forEach(Descriptor::closeFd);
        open.clear();
        direct.clear();
        directoriesOfOpenFiles.forEach(Descriptor::closeFd);
    }

    /**
     * Fails if something is open although the process has closed its root and its tree, whatever failed before. A
     * process that ended within a call could not close anything.
     */
    public synchronized void requireClosed() {
        List<Integer> directoriesLeft = openElsewhere();
        if (!gone && !(open.isEmpty() && mapped.isEmpty() && directoriesLeft.isEmpty())) {
            throw new AssertionError("left open: files " + open.keySet() + ", directories " + directoriesLeft + ", "
                    + mapped.size() + " mapped files");
        }
    }

    /** Descriptors below the directory of this disk that were not opened by its calls. */
    private List<Integer> openElsewhere() {
        try (var listed = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            List<Integer> found = new ArrayList<>();
            for (Path fd : listed) {
                int number = Integer.parseInt(fd.getFileName().toString());
                try {
                    if (!open.containsKey(number) && Files.readSymbolicLink(fd).startsWith(attic.getParent())) {
                        found.add(number);
                    }
                } catch (NoSuchFileException closedByAnotherThread) {
                    // It was not open for a file of this disk.
                }
            }
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the process; data that was not flushed may be lost. */
    public synchronized void cutPower() {
        kill();
        for (LossyFile file : files.values()) {
            file.loseSomeContent(random);
            file.loseSomeMetadata(random);
        }
        directories.values().forEach(names -> names.loseSome(random, this::moveToAttic));
        directories.clear();
        files.clear();
        removedAttributes.forEach((inode, removed) -> {
            if (random.nextBoolean()) {
                removed.forEach(attributes.computeIfAbsent(inode, any -> new HashMap<>())::putIfAbsent);
            }
        });
        removedAttributes.clear();
        boot = UUID.randomUUID();
    }

    /** Simulates a restart of the machine that loses no data. */
    public synchronized void reboot() {
        boot = UUID.randomUUID();
    }

    /** Starts the next process. */
    public synchronized void restart() {
        gone = false;
        files.values().forEach(file -> file.readBytes = 0);
        callsLeft = NEVER;
        failures.clear();
    }

    /**
     * Returns zero, or the negated errno with which the call must fail.
     *
     * @throws Gone if the process ends before the call takes effect
     */
    private int begin(Kind kind) {
        if (gone) {
            return -Errno.EIO;
        }
        if (callsLeft == 0 && random.nextBoolean()) {
            goNow();
        }
        int count = counts.merge(kind, 1, Integer::sum) - 1;
        Failure failure = failures.get(kind);
        if (failure != null && failure.atCount <= count) {
            failures.remove(kind);
            return -failure.errno;
        }
        return 0;
    }

    private int end(int result) {
        if (callsLeft == 0) {
            goNow();
        }
        if (callsLeft > 0) {
            callsLeft--;
        }
        return result;
    }

    private void goNow() {
        gone = true;
        throw new Gone();
    }

    // Names.

    private static Path directoryOf(int dirFd) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + dirFd));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private LossyNames namesIn(Path directory) {
        return directories.computeIfAbsent(directory, path -> {
            LossyNames names = new LossyNames();
            try (var listed = Files.list(path)) {
                listed.filter(Files::isRegularFile).sorted().forEach(file -> names.had(file, fileAt(file)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return names;
        });
    }

    private LossyFile fileAt(Path path) {
        FileStatus status = LossyFile.statusAt(path);
        if (status == null) {
            throw new IllegalStateException("no file at " + path);
        }
        return files.computeIfAbsent(status.inode, inode -> new LossyFile(path, status.sizeBytes, pieceBytes));
    }

    private void moveToAttic(LossyFile file) {
        file.moveTo(attic.resolve(UUID.randomUUID().toString()));
    }

    @Override
    public synchronized int open(int dirFd, RawPath name, int flags, int mode) {
        int failed = begin(Kind.OPEN);
        if (failed < 0) {
            return failed;
        }
        Path directory = directoryOf(dirFd);
        Path path = directory.resolve(name.text());
        LossyNames names = namesIn(directory);
        boolean isNew = (flags & Paths.O_CREAT) != 0 && LossyFile.statusAt(path) == null;
        int fd = Paths.openat(dirFd, name, flags, mode);
        if (fd >= 0) {
            LossyFile file = fileAt(path);
            open.put(fd, file);
            if (isNew) {
                names.added(path, file);
            }
        }
        return end(fd);
    }

    /** It has a name in the attic, which {@link #name} changes. */
    @Override
    public synchronized int openNameless(int dirFd, int mode) {
        int failed = begin(Kind.OPEN);
        if (failed < 0) {
            return failed;
        }
        Path hidden = attic.resolve(UUID.randomUUID().toString());
        RawPath path = RawPath.ofText(hidden.toString());
        int fd = Paths.openat(Paths.AT_FDCWD, path, Paths.O_RDWR | Paths.O_CREAT | Paths.O_EXCL, mode);
        if (fd >= 0) {
            open.put(fd, fileAt(hidden));
            nameless.add(fileAt(hidden));
        }
        return end(fd);
    }

    @Override
    public synchronized int name(int fd, int dirFd, RawPath name) {
        int failed = begin(Kind.NAME);
        if (failed < 0) {
            return failed;
        }
        Path directory = directoryOf(dirFd);
        LossyNames names = namesIn(directory);
        Path path = directory.resolve(name.text());
        if (LossyFile.statusAt(path) != null) {
            return end(-Errno.EEXIST);
        }
        file(fd).moveTo(path);
        nameless.remove(file(fd));
        names.added(path, file(fd));
        return end(0);
    }

    @Override
    public synchronized int openDirect(int fd) {
        int failed = begin(Kind.OPEN);
        if (failed < 0) {
            return failed;
        }
        int twin = Descriptor.duplicate(fd);
        open.put(twin, file(fd));
        direct.add(twin);
        return end(twin);
    }

    @Override
    public synchronized int rename(int dirFd, RawPath from, RawPath to, int flags) {
        int failed = begin(Kind.RENAME);
        if (failed < 0) {
            return failed;
        }
        Path directory = directoryOf(dirFd);
        LossyNames names = namesIn(directory);
        Path source = directory.resolve(from.text());
        Path target = directory.resolve(to.text());
        if (LossyFile.statusAt(source) == null) {
            return end(-Errno.ENOENT);
        }
        boolean replaces = LossyFile.statusAt(target) != null;
        if (replaces && flags == Paths.RENAME_NOREPLACE) {
            return end(-Errno.EEXIST);
        }
        LossyFile file = fileAt(source);
        if (replaces) {
            moveToAttic(fileAt(target));
        }
        file.moveTo(target);
        names.renamed(source, target, file);
        return end(0);
    }

    @Override
    public synchronized int unlink(int dirFd, RawPath name) {
        int failed = begin(Kind.UNLINK);
        if (failed < 0) {
            return failed;
        }
        Path directory = directoryOf(dirFd);
        LossyNames names = namesIn(directory);
        Path path = directory.resolve(name.text());
        if (LossyFile.statusAt(path) == null) {
            return end(-Errno.ENOENT);
        }
        moveToAttic(fileAt(path));
        names.removed(path);
        return end(0);
    }

    // Content.

    private LossyFile file(int fd) {
        LossyFile file = open.get(fd);
        if (file == null) {
            throw new IllegalStateException("descriptor " + fd + " was not opened here");
        }
        return file;
    }

    /** Saves the old status, also of a file that was not opened here. The status of directories is not saved. */
    private void keepStatusOf(int fd) {
        Path path = directoryOf(fd);
        LossyFile file = open.containsKey(fd) ? file(fd) : Files.isRegularFile(path) ? fileAt(path) : null;
        if (file != null) {
            file.keepStatus();
        }
    }

    @Override
    public synchronized int read(int fd, long address, int length, long offset) {
        int failed = begin(Kind.READ);
        if (failed < 0) {
            return failed;
        }
        int count = FileData.preadAt(fd, address, length, offset);
        file(fd).readBytes += Math.max(0, count);
        return end(count);
    }

    @Override
    public synchronized int write(int fd, long address, int length, long offset) {
        int failed = begin(Kind.WRITE);
        if (failed < 0) {
            return failed;
        }
        if (direct.contains(fd) && (address % DIRECT_BYTES | offset % DIRECT_BYTES | length % DIRECT_BYTES) != 0) {
            return end(-Errno.EINVAL);
        }
        file(fd).keepOld(offset, length);
        // A short write, as a signal or a full disk would cause.
        int part = length > 1 && random.nextInt(8) == 0 ? 1 + random.nextInt(length - 1) : length;
        return end(FileData.pwriteAt(fd, address, part, offset));
    }

    @Override
    public synchronized int truncate(int fd, long sizeBytes) {
        int failed = begin(Kind.TRUNCATE);
        if (failed < 0) {
            return failed;
        }
        LossyFile file = file(fd);
        long nowBytes = file.status().sizeBytes;
        if (sizeBytes < nowBytes) {
            file.keepOld(sizeBytes, nowBytes - sizeBytes);
        }
        return end(FileData.truncate(fd, sizeBytes));
    }

    @Override
    public synchronized int allocate(int fd, long offset, long lengthBytes) {
        int failed = begin(Kind.ALLOCATE);
        return failed < 0 ? failed : end(FileData.allocate(fd, 0, offset, lengthBytes));
    }

    @Override
    public synchronized int punchHole(int fd, long offset, long lengthBytes) {
        int failed = begin(Kind.PUNCH);
        if (failed < 0) {
            return failed;
        }
        file(fd).keepOld(offset, lengthBytes);
        return end(FileData.allocate(fd, FileData.PUNCH_HOLE, offset, lengthBytes));
    }

    @Override
    public synchronized int setMode(int fd, int mode) {
        int failed = begin(Kind.METADATA);
        if (failed < 0) {
            return failed;
        }
        keepStatusOf(fd);
        return end(FileMetadata.setMode(fd, mode));
    }

    @Override
    public synchronized int setModified(int fd, long seconds, int nanos) {
        int failed = begin(Kind.METADATA);
        if (failed < 0) {
            return failed;
        }
        keepStatusOf(fd);
        return end(FileMetadata.setModified(fd, seconds, nanos));
    }

    // Attributes, by inode: no file of this disk is deleted, so no inode is used again.

    @Override
    public synchronized int getAttribute(int dirFd, RawPath name, RawPath attribute, long address, int length) {
        byte @Nullable [] value = attributesOf(dirFd, name).get(attribute);
        if (value == null) {
            return hasAttributes ? -Errno.ENODATA : -Errno.EOPNOTSUPP;
        }
        Libc.bufferAt(address, length).put(value);
        return value.length;
    }

    @Override
    public synchronized int setAttribute(int fd, RawPath attribute, long address, int length) {
        int failed = begin(Kind.METADATA);
        if (failed < 0 || !hasAttributes) {
            return failed < 0 ? failed : -Errno.EOPNOTSUPP;
        }
        byte[] value = new byte[length];
        Libc.bufferAt(address, length).get(value);
        attributesOf(fd, RawPath.EMPTY).put(attribute, value);
        return end(0);
    }

    @Override
    public synchronized int removeAttribute(int fd, RawPath attribute) {
        int failed = begin(Kind.METADATA);
        byte @Nullable [] value =
                failed < 0 ? null : attributesOf(fd, RawPath.EMPTY).remove(attribute);
        if (value == null) {
            return failed < 0 ? failed : -Errno.ENODATA;
        }
        removedAttributes
                .computeIfAbsent(inodeOf(fd, RawPath.EMPTY), inode -> new HashMap<>())
                .put(attribute, value);
        return end(0);
    }

    private Map<RawPath, byte[]> attributesOf(int dirFd, RawPath name) {
        return attributes.computeIfAbsent(inodeOf(dirFd, name), inode -> new HashMap<>());
    }

    private static long inodeOf(int dirFd, RawPath name) {
        FileStatus status = new FileStatus();
        int known = name.isEmpty()
                ? FileMetadata.stat(dirFd, status)
                : FileMetadata.statat(dirFd, name, Paths.AT_SYMLINK_NOFOLLOW, status);
        if (known < 0) {
            throw new IllegalStateException("errno " + -known + " for " + name);
        }
        return status.inode;
    }

    @Override
    public synchronized int syncData(int fd) {
        return sync(fd, false);
    }

    @Override
    public synchronized int sync(int fd) {
        return sync(fd, true);
    }

    private int sync(int fd, boolean metadataToo) {
        int failed = begin(Kind.SYNC);
        if (gone) {
            return failed;
        }
        LossyFile file = open.get(fd);
        if (file == null) {
            if (failed == 0) {
                namesIn(directoryOf(fd)).flush();
                flushedDirectories.add(directoryOf(fd));
            }
        } else if (failed < 0) {
            file.loseSomeContent(random);
        } else if (!nameless.contains(file)) {
            flush(file, metadataToo);
        }
        return end(failed);
    }

    private void flush(LossyFile file, boolean metadataToo) {
        file.flush(metadataToo);
        if (mapped.containsValue(file)) {
            // Later stores through the mapping are not seen, so save the contents now.
            file.keepOld(0, 1);
        }
    }

    @Override
    public synchronized int syncFileSystem(int fd) {
        int failed = begin(Kind.SYNC);
        if (gone) {
            return failed;
        }
        for (LossyFile file : files.values()) {
            if (failed < 0) {
                file.loseSomeContent(random);
            } else {
                flush(file, true);
            }
        }
        if (failed == 0) {
            directories.values().forEach(LossyNames::flush);
        }
        return end(failed);
    }

    @Override
    public synchronized int close(int fd) {
        if (fd < 0) {
            return 0;
        }
        int failed = begin(Kind.CLOSE);
        // The descriptor is closed whatever the result. After the end of the process its descriptors are closed
        // already.
        if (gone && !open.containsKey(fd)) {
            return failed;
        }
        open.remove(fd);
        direct.remove(fd);
        int closed = Descriptor.closeFd(fd);
        return gone ? failed : end(failed < 0 ? failed : closed);
    }

    @Override
    public synchronized @Nullable ByteBuffer map(int fd, int lengthBytes) {
        if (begin(Kind.MAP) < 0) {
            return null;
        }
        ByteBuffer memory = FileData.mapShared(fd, lengthBytes);
        if (memory != null) {
            file(fd).keepOld(0, lengthBytes);
            mapped.put(memory, file(fd));
        }
        end(0);
        return memory;
    }

    @Override
    public synchronized void unmap(ByteBuffer memory) {
        if (mapped.remove(memory) != null) {
            FileData.unmap(memory);
        }
    }

    @Override
    public synchronized UUID bootId() {
        return boot;
    }

    @Override
    public void close() {
        kill();
    }
}
