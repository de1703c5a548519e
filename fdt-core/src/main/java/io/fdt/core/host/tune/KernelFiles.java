package io.fdt.core.host.tune;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The kernel's files as texts of one character a byte. A test stands in here to end a process between two writes. */
interface KernelFiles {
    /** A mask of the widest kernel has less than a half of it. */
    int MAX_BYTES = 64 << 10;

    /** All that stands there. */
    String read(String path) throws IOException;

    /** Writes all of it in one call, which is how the kernel wants its files written; never makes a file. */
    void write(String path, String text) throws IOException;

    static KernelFiles below(Path root) {
        return new KernelFiles() {
            @Override
            public String read(String path) throws IOException {
                try (FileChannel channel = FileChannel.open(root.resolve(path), StandardOpenOption.READ)) {
                    // A sysctl gives what fits into the first read and then says that this was all.
                    ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
                    while (bytes.hasRemaining() && channel.read(bytes) >= 0) {}
                    return new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1);
                }
            }

            @Override
            public void write(String path, String text) throws IOException {
                Files.write(
                        root.resolve(path),
                        text.getBytes(StandardCharsets.ISO_8859_1),
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING);
            }
        };
    }
}
