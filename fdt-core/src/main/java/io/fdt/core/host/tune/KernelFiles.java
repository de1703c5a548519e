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
 * Reads and writes kernel files as texts of one character for each byte. For the configuration of a PCI device, the
 * text is the size of its read requests, and nothing else of it is ever written. Tests override it to end a process
 * between two writes.
 */
class KernelFiles {
    /** The mask of the largest kernel needs less than half of it. */
    private static final int MAX_BYTES = 64 << 10;

    private final Path root;

    KernelFiles(Path root) {
        this.root = root;
    }

    /** Whether the file is a PCI device's binary configuration, whose text here is the size of its read requests. */
    private static boolean isPciConfig(String path) {
        return path.startsWith("sys/bus/pci/devices/") && path.endsWith("/config");
    }

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
            // The first read of a sysctl returns all that fits, and the next one reports the end.
            ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
            while (bytes.hasRemaining() && channel.read(bytes) >= 0) {}
            return new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1);
        }
    }

    /** Writes the text with one call, as kernel files require; never creates a file. */
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

    /** Writes one two-byte word, whose other bits are unchanged. */
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
