package io.fdt.core.shard;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps a second planner out of a job's directory, in this process or another one, and on other hosts if the file
 * system shares locks. The kernel releases the lock when its planner dies, so the file remains and has no meaning by
 * itself. On a file system without locks, the existence of the file is the lock, and a killed planner leaves it behind.
 * For one thread.
 */
record PlanLock(FileChannel channel, Path file, Path directory, boolean deleteAtEnd) {
    /**
     * The directories that planners of this process hold. A second one must not even open the lock's file: when it
     * closes that, the kernel drops the lock of the first.
     */
    private static final Set<Path> HERE = ConcurrentHashMap.newKeySet();

    /** @throws TransferException USAGE while another planner holds the lock */
    static PlanLock take(Path directory) {
        Path file = directory.resolve(JobFiles.LOCK);
        try {
            Path real = directory.toRealPath();
            if (!HERE.add(real)) {
                throw busy(file, "wait until it ends");
            }
            boolean taken = false;
            try {
                PlanLock lock = takeAlone(file, real);
                taken = true;
                return lock;
            } finally {
                if (!taken) {
                    HERE.remove(real);
                }
            }
        } catch (IOException e) {
            throw JobFiles.unwritable(file, e);
        }
    }

    private static PlanLock takeAlone(Path file, Path real) throws IOException {
        boolean created = create(file);
        FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        try {
            return lock(channel, created, file, real);
        } catch (TransferException busy) {
            channel.close();
            throw busy;
        }
    }

    private static boolean create(Path file) throws IOException {
        try {
            Files.createFile(file);
            return true;
        } catch (FileAlreadyExistsException anotherPlannerDid) {
            return false;
        }
    }

    private static PlanLock lock(FileChannel channel, boolean created, Path file, Path directory) {
        try {
            if (channel.tryLock() != null) {
                return new PlanLock(channel, file, directory, false);
            }
        } catch (IOException noLocksHere) {
            if (created) {
                return new PlanLock(channel, file, directory, true);
            }
            throw busy(file, "delete that file if it was killed");
        }
        throw busy(file, "wait until it ends");
    }

    private static TransferException busy(Path file, String remedy) {
        return Cause.USAGE.failure("another fdt shard plan is writing this job and holds " + JobFiles.shown(file) + "; "
                + remedy + ", or plan into another directory");
    }

    void release() {
        try (channel) {
            if (deleteAtEnd) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw JobFiles.unwritable(file, e);
        } finally {
            HERE.remove(directory);
        }
    }
}
