package io.fdt.core.host.tune;

import io.fdt.core.host.PciConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The kernel's files as texts of one character a byte; of a PCI device's configuration the size of its read requests is
 * the text, and nothing else of it is ever written. A test stands in here to end a process between two writes.
 */
class KernelFiles {
    /** A mask of the widest kernel has less than a half of it. */
    private static final int MAX_BYTES = 64 << 10;

    private final Path root;

    KernelFiles(Path root) {
        this.root = root;
    }

    /** What stands for a file of bytes: the size of a read request of a PCI device. */
    private static boolean isPciConfig(String path) {
        return path.startsWith("sys/bus/pci/devices/") && path.endsWith("/config");
    }

    /** All that stands there. */
    String read(String path) throws IOException {
        String text = exact(path);
        if (!isPciConfig(path)) {
            return text;
        }
        int bytes = PciConfig.readRequestBytes(text);
        if (bytes == 0) {
            throw new IOException("the device's configuration is not shown");
        }
        return bytes + "\n";
    }

    private String exact(String path) throws IOException {
        try (FileChannel channel = FileChannel.open(root.resolve(path), StandardOpenOption.READ)) {
            // A sysctl gives what fits into the first read and then says that this was all.
            ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
            while (bytes.hasRemaining() && channel.read(bytes) >= 0) {}
            return new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1);
        }
    }

    /** Writes all of it in one call, which is how the kernel wants its files written; never makes a file. */
    void write(String path, String text) throws IOException {
        if (isPciConfig(path)) {
            writeReadRequest(path, Integer.parseInt(text.strip()));
            return;
        }
        Files.write(
                root.resolve(path),
                text.getBytes(StandardCharsets.ISO_8859_1),
                StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING);
    }

    /** One word of two bytes, and all that stands in it besides as it was. */
    private void writeReadRequest(String path, int bytes) throws IOException {
        String config = exact(path);
        int at = PciConfig.controlAt(config);
        if (at < 0) {
            throw new IOException("the device's configuration is not shown");
        }
        int control = PciConfig.withReadRequest(PciConfig.word(config, at), bytes);
        ByteBuffer word = ByteBuffer.allocate(2).order(ByteOrder.LITTLE_ENDIAN);
        word.putShort((short) control).flip();
        try (FileChannel channel = FileChannel.open(root.resolve(path), StandardOpenOption.WRITE)) {
            channel.write(word, at);
        }
    }
}
