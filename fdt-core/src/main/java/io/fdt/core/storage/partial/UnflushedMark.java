package io.fdt.core.storage.partial;

import io.fdt.core.budget.Budget;
import io.fdt.core.failure.Cause;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.AttributeReader;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Marks a directory below which a run gives files their names without flushing their data. A file system may make
 * length, time and name of a file durable before its data: after a power failure such a file looks complete and
 * contains zeros. The mark is an extended attribute of the directory with the kernel's boot id. A run that finds one of
 * another boot replaces it with a {@link LossMark}; a run that has flushed everything removes it.
 *
 * <p>The mark is not flushed. It does not have to be: file systems with a journal, and those that write trees, make
 * changes of metadata durable in their order, and the mark is set before the first name. That holds within one file
 * system; {@link #spread} is for several.
 *
 * <p>Runs without flushes share a lock of the directory. A mark is removed only if nobody holds it, and if no run has
 * set it since before everything was flushed: every run that sets it gives it another number. For one thread.
 */
public final class UnflushedMark implements AutoCloseable {
    private static final RawPath NAME = AttributeReader.UNFLUSHED;
    private static final int LENGTH_BYTES = 33;
    private static final int SINCE = 16;
    private static final int NUMBER = 24;
    private static final int SPREAD = 32;
    private static final int ATTEMPTS_MAX = 1000;
    private static final long PAUSE_MS = 5;
    /** No kernel has this id. */
    private static final UUID NO_BOOT = new UUID(0, 0);

    private final Disk disk;
    private final Descriptor directory;
    private Content content;
    private long lowestSeconds;

    /**
     * What a mark contains.
     *
     * @param boot of the run; an id that no kernel has for runs on several hosts
     * @param sinceSeconds files that were last changed before are not affected
     * @param number changes with every run that sets the mark
     * @param spread whether there may be such files on other file systems than that of the directory
     */
    public record Content(UUID boot, long sinceSeconds, long number, boolean spread) {
        static final Content DAMAGED = new Content(NO_BOOT, Long.MIN_VALUE, 0, true);

        Content renewed(long since, boolean onOthers) {
            return new Content(boot, since, ThreadLocalRandom.current().nextLong(), onOthers);
        }
    }

    private UnflushedMark(Disk disk, Descriptor directory, Content content) {
        this.disk = disk;
        this.directory = directory;
        this.content = content;
        this.lowestSeconds = System.currentTimeMillis() / 1000;
    }

    /** Returns the content of a directory's mark; null without one. */
    public static @Nullable Content read(Disk disk, int dirFd) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(LENGTH_BYTES);
        int length = disk.getAttribute(dirFd, NAME, Libc.addressOf(bytes), LENGTH_BYTES);
        if (length == LENGTH_BYTES) {
            return new Content(
                    new UUID(bytes.getLong(0), bytes.getLong(8)),
                    bytes.getLong(SINCE),
                    bytes.getLong(NUMBER),
                    bytes.get(SPREAD) != 0);
        }
        return length >= 0 || length == -Errno.ERANGE ? Content.DAMAGED : null;
    }

    private static boolean write(Disk disk, int dirFd, Content content) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(LENGTH_BYTES)
                .putLong(content.boot.getMostSignificantBits())
                .putLong(content.boot.getLeastSignificantBits())
                .putLong(content.sinceSeconds)
                .putLong(content.number)
                .put((byte) (content.spread ? 1 : 0));
        return disk.setAttribute(dirFd, NAME, Libc.addressOf(bytes), LENGTH_BYTES) == 0;
    }

    /**
     * Marks a directory until a later run has flushed everything; null if that is impossible, for example because the
     * file system has no extended attributes.
     */
    public static @Nullable UnflushedMark set(Budget budget, Disk disk, int dirFd) {
        int own = openAgain(dirFd);
        if (own < 0) {
            return null;
        }
        Descriptor directory = new Descriptor(own, budget);
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            Content held = isFree(Descriptor.lock(own))
                    ? setFirst(disk, own)
                    : Descriptor.lockShared(own) == 0 ? join(disk, own) : null;
            if (held != null) {
                return new UnflushedMark(disk, directory, held);
            }
            if (attempt == 0 && !isSupported(disk, own)) {
                break;
            }
            var unused = Descriptor.unlock(own);
            pause();
        }
        directory.close();
        return null;
    }

    private static boolean isSupported(Disk disk, int dirFd) {
        return read(disk, dirFd) != null;
    }

    /** With the lock held alone. */
    private static @Nullable Content setFirst(Disk disk, int dirFd) {
        Content left = read(disk, dirFd);
        boolean same = left != null && left.boot.equals(disk.bootId());
        Content mark = new Content(disk.bootId(), Long.MIN_VALUE, 0, false);
        if (left != null) {
            mark = same ? left : Content.DAMAGED;
        }
        // The first change of the directory shows the time of the file system, which may be that of another host.
        if (!write(disk, dirFd, mark.renewed(mark.sinceSeconds, mark.spread))) {
            return null;
        }
        FileStatus status = new FileStatus();
        long since =
                left == null && FileMetadata.stat(dirFd, status) == 0 ? status.changedSeconds - 1 : mark.sinceSeconds;
        // Shared before the number changes for the second time: the change from one kind of lock to the other leaves a
        // moment without any.
        var unused = Descriptor.lockShared(dirFd);
        Content own = mark.renewed(since, mark.spread);
        return write(disk, dirFd, own) ? own : null;
    }

    /** With the lock held together with other runs, which have set the mark. */
    private static @Nullable Content join(Disk disk, int dirFd) {
        Content left = read(disk, dirFd);
        if (left == null || left.boot.equals(disk.bootId())) {
            return left;
        }
        Content ofSeveralHosts = Content.DAMAGED.renewed(Long.MIN_VALUE, true);
        return write(disk, dirFd, ofSeveralHosts) ? ofSeveralHosts : null;
    }

    private static boolean isFree(int locked) {
        return locked != -Errno.EAGAIN;
    }

    private static int openAgain(int dirFd) {
        return Paths.openat(dirFd, RawPath.HERE, Paths.O_RDONLY | Paths.O_DIRECTORY, 0);
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Cause.INTERRUPTED.failure("interrupted");
        }
    }

    /** Makes the mark durable, because it is also for files on another file system. Returns whether it is. */
    public boolean spread() {
        if (!content.spread) {
            Content wider = content.renewed(content.sinceSeconds, true);
            if (!write(disk, directory.fd(), wider) || disk.sync(directory.fd()) < 0) {
                return false;
            }
            content = wider;
        }
        return true;
    }

    /**
     * Called for each file: a clock that was set back must not date it before the mark. Returns whether it is valid.
     */
    public boolean keepTime() {
        long now = System.currentTimeMillis() / 1000;
        if (now < lowestSeconds && content.sinceSeconds != Long.MIN_VALUE) {
            Content earlier = content.renewed(content.sinceSeconds - (lowestSeconds - now), content.spread);
            if (!write(disk, directory.fd(), earlier)) {
                return false;
            }
            content = earlier;
            lowestSeconds = now;
        }
        return true;
    }

    /** Whether no run without flushes is under way below the directory, and the mark has this content. */
    public static boolean isUnused(Budget budget, Disk disk, int dirFd, Content known) {
        return whileUnused(budget, disk, dirFd, known, () -> {});
    }

    /** Removes a mark, if it has not been set again since it had this content. */
    public static void remove(Budget budget, Disk disk, int dirFd, Content known) {
        whileUnused(budget, disk, dirFd, known, () -> disk.removeAttribute(dirFd, NAME));
    }

    /** Replaces the mark of another boot with a loss mark. Returns false if the mark stays. */
    public static boolean replace(Budget budget, Disk disk, int dirFd, Content known, LossMark loss) {
        boolean[] replaced = {false};
        whileUnused(budget, disk, dirFd, known, () -> {
            replaced[0] = loss.leave(known.boot, known.sinceSeconds) && disk.removeAttribute(dirFd, NAME) == 0;
        });
        return replaced[0];
    }

    private static boolean whileUnused(Budget budget, Disk disk, int dirFd, Content known, Runnable action) {
        int own = openAgain(dirFd);
        if (own < 0) {
            return false;
        }
        try (Descriptor held = new Descriptor(own, budget)) {
            boolean unused = isFree(Descriptor.lock(held.fd())) && known.equals(read(disk, dirFd));
            if (unused) {
                action.run();
            }
            return unused;
        }
    }

    /** Ends the use of the mark, which stays. */
    @Override
    public void close() {
        directory.close();
    }
}
