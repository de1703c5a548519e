package io.fdt.monitor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A directory that a server exports, and the room on its file system. Unknown sizes are -1.
 *
 * @param device the name of the disk or partition below it; empty for a file system without a disk of its own, such as
 *     NFS, ZFS or tmpfs
 */
record ExportedRoot(String path, String device, long freeBytes, long sizeBytes) {
    private static final Path BLOCK_DEVICES = Path.of("/sys/dev/block");

    /** Asks the file system, which may block. */
    static ExportedRoot read(Path root) {
        long size = root.toFile().getTotalSpace();
        return new ExportedRoot(
                root.toString(), device(root), size == 0 ? -1 : root.toFile().getUsableSpace(), size == 0 ? -1 : size);
    }

    private static String device(Path root) {
        try {
            long device = (Long) Files.getAttribute(root, "unix:dev");
            // Both numbers are in two parts, for compatibility with older kernels.
            long major = ((device >>> 8) & 0xfff) | ((device >>> 32) & 0xfffff000L);
            long minor = (device & 0xff) | ((device >>> 12) & 0xffffff00L);
            Path link = BLOCK_DEVICES.resolve(major + ":" + minor);
            return String.valueOf(Files.readSymbolicLink(link).getFileName());
        } catch (IOException | UnsupportedOperationException unknown) {
            return "";
        }
    }
}
