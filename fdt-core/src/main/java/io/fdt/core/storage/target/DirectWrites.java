package io.fdt.core.storage.target;

import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.DirectIo;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.storage.posix.FileStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which files are written past the page cache. What is flushed before it gets its name gains nothing from pages that
 * are allocated, filled and written back, and a file of the size of the memory drives out of it what others still need.
 * A disk that seeks does better with the kernel's order of writing, and what a network file system does with small
 * pieces is its own affair: both are left alone unless told. Thread-safe.
 */
final class DirectWrites {
    /** What costs a second to flush at most is as well cached: somebody may read it at once. */
    private static final long USUAL_LEAST_BYTES = 256L << 20;

    private static final long LEAST_BYTES = 4096;

    private static final Path BLOCK_DEVICES = Path.of("/sys/dev/block");

    private final DirectIo wish;
    private final boolean flushes;
    private final Path blockDevices;
    private final Map<Long, Boolean> suitable = new ConcurrentHashMap<>();

    DirectWrites(TargetRules rules) {
        this(rules, BLOCK_DEVICES);
    }

    /** @param blockDevices where the kernel describes them by number */
    DirectWrites(TargetRules rules, Path blockDevices) {
        this.wish = rules.directIo();
        this.flushes = rules.durability() != Durability.NONE;
        this.blockDevices = blockDevices;
    }

    boolean suit(long fileBytes, FileStatus opened) {
        return switch (wish) {
            case NEVER -> false;
            case ALWAYS -> fileBytes >= LEAST_BYTES;
            case AUTO -> flushes && fileBytes >= USUAL_LEAST_BYTES && suits(opened.device);
        };
    }

    private boolean suits(long device) {
        return suitable.computeIfAbsent(device, number -> isSolid((int) (number >>> 32), number.intValue()));
    }

    /** Whether it is a disk of this machine, of which the kernel says that it has no arm to move. */
    private boolean isSolid(int major, int minor) {
        try {
            Path device = blockDevices.resolve(major + ":" + minor).toRealPath();
            // A partition stands in its disk.
            Path disk = Files.exists(device.resolve("queue")) ? device : device.resolve("..");
            if (Files.readString(disk.resolve("queue/rotational")).strip().equals("0")) {
                return true;
            }
            // Every virtio disk says that it rotates, whatever is behind it.
            Path driver = disk.resolve("device/driver").toRealPath();
            return driver.endsWith("virtio_blk");
        } catch (IOException nobodyKnows) {
            return false;
        }
    }
}
