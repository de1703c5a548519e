package io.fdt.cli.batch;

import io.fdt.cli.value.UserText;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.KernelError;
import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Where the data of a read goes: a file or pipe of this host, which exists. It is opened with the first bytes, which
 * may wait for the reader of a pipe, and written from its start. For one thread.
 */
final class DataFile implements AutoCloseable {
    private final String path;
    private @Nullable FileChannel channel;
    private long written;

    DataFile(String path) {
        this.path = path;
    }

    long written() {
        return written;
    }

    /** @throws TransferException TARGET; an interruption ends the waiting for the reader of a pipe with one */
    void write(byte[] bytes) {
        try {
            FileChannel open = channel;
            if (open == null) {
                open = FileChannel.open(Path.of(path), StandardOpenOption.WRITE);
                channel = open;
            }
            ByteBuffer rest = ByteBuffer.wrap(bytes);
            while (rest.hasRemaining()) {
                written += open.write(rest);
            }
        } catch (IOException | InvalidPathException e) {
            throw unwritable(e);
        }
    }

    private TransferException unwritable(Exception e) {
        Cause cause = KernelError.of(e) == KernelError.EPIPE
                ? Cause.READER_GONE
                : e instanceof NoSuchFileException || e instanceof InvalidPathException
                        ? Cause.TARGET
                        : TransferException.causeOfWriting(e);
        return cause.at(path).failure("cannot write the data: " + UserText.visible(TransferException.reason(e)), e);
    }

    @Override
    public void close() {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            throw unwritable(e);
        }
    }
}
