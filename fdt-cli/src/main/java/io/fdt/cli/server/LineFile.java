package io.fdt.cli.server;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.NamedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Appends lines to a file, which is created with mode 0640 if it does not exist. For one thread. */
final class LineFile implements LineSink {
    private final Path path;
    private @Nullable FileChannel file;
    private boolean torn;

    LineFile(Path path) {
        this.path = path;
        try {
            file = open();
        } catch (IOException e) {
            throw Cause.NO_RECORD.failure(
                    "cannot open the transfer log " + path + ": " + TransferException.reason(e), e);
        }
    }

    private FileChannel open() throws IOException {
        try (Descriptor opened = NamedFile.openToAppend(path, 0640)) {
            return FileChannel.open(NamedFile.reopened(opened), StandardOpenOption.WRITE, StandardOpenOption.APPEND);
        }
    }

    @Override
    public String place() {
        return path.toString();
    }

    @Override
    public void reopen() throws IOException {
        torn = false;
        close();
        file = open();
    }

    @Override
    public void keepReachable(ReachableFiles files) {
        files.appending(path);
    }

    /** If a full disk has cut off the previous line, ends that first. */
    @Override
    public void write(byte[] line) throws IOException {
        FileChannel open = file;
        if (open == null) {
            open = open();
            file = open;
        }
        ByteBuffer rest = ByteBuffer.allocate(line.length + 1);
        if (torn) {
            rest.put((byte) '\n');
        }
        rest.put(line).flip();
        int lengthBytes = rest.remaining();
        try {
            while (rest.hasRemaining()) {
                open.write(rest);
            }
            torn = false;
        } finally {
            torn |= rest.hasRemaining() && rest.remaining() < lengthBytes;
        }
    }

    @Override
    public void close() throws IOException {
        FileChannel open = file;
        file = null;
        if (open != null) {
            open.close();
        }
    }
}
