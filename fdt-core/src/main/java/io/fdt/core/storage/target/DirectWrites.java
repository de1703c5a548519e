package io.fdt.core.storage.target;

import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.TargetRules.DirectIo;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.posix.FileStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Decides which files are written past the page cache. A file that is flushed before it gets its name gains nothing
 * from pages that are allocated, filled and written back, and a file as large as the memory evicts pages that others
 * still need. A rotating disk is faster with the kernel's order of writes, and a network file system has its own way to
 * handle small writes: for both, the page cache is used unless requested otherwise. Thread-safe.
 */
final class DirectWrites {
    /** A file that takes at most a second to flush may as well be cached: it may be read at once. */
    private static final long DEFAULT_MIN_BYTES = 256L << 20;

    private static final long MIN_BYTES = 4096;

    static final Path BLOCK_DEVICES = Path.of("/sys/dev/block");

    private final DirectIo wish;
    private final boolean flushes;
    private final Path blockDevices;
    private final Map<Long, Boolean> suitable = new ConcurrentHashMap<>();

    /** @param blockDevices the kernel's directory of block devices by number */
    DirectWrites(TransferPlan plan, Path blockDevices) {
        this.wish = plan.get(CopyValue.DIRECT_IO);
        this.flushes = plan.get(CopyValue.DURABLE) != Durability.NONE;
        this.blockDevices = blockDevices;
    }

    boolean suit(long fileBytes, FileStatus opened) {
        return switch (wish) {
            case NEVER -> false;
            case ALWAYS -> fileBytes >= MIN_BYTES;
            case AUTO -> flushes && fileBytes >= DEFAULT_MIN_BYTES && suits(opened.device);
        };
    }

    private boolean suits(long device) {
        return suitable.computeIfAbsent(device, number -> isSolid((int) (number >>> 32), number.intValue()));
    }

    /** Whether the device is a local disk that does not rotate, according to the kernel. */
    private boolean isSolid(int major, int minor) {
        try {
            Path device = blockDevices.resolve(major + ":" + minor).toRealPath();
            // The directory of a partition is inside that of its disk.
            Path disk = Files.exists(device.resolve("queue")) ? device : device.resolve("..");
            if (Files.readString(disk.resolve("queue/rotational")).strip().equals("0")) {
                return true;
            }
            // Every virtio disk claims to rotate, whatever its backing device.
            Path driver = disk.resolve("device/driver").toRealPath();
            return driver.endsWith("virtio_blk");
        } catch (IOException nobodyKnows) {
            return false;
        }
    }
}
