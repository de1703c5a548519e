package io.fdt.core.objects;

import io.fdt.core.basic.NewFile;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.framedlog.FrameReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Stores a log in a file that no other process may open at the same time. Interrupting a thread during a call closes
 * the file for all threads, as for all channels of Java; the log treats that as a failed disk.
 */
final class FileDevice implements LogDevice {
    private static final String NAME = "objects.log";

    private final FileChannel channel;

    private FileDevice(FileChannel channel) {
        this.channel = channel;
    }

    /** Creates the directory and the file if necessary, accessible only to their owner. */
    static FileDevice open(Path directory) {
        Path file = directory.resolve(NAME);
        try {
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            FileChannel channel = FileChannel.open(
                    file,
                    Set.of(
                            StandardOpenOption.READ,
                            StandardOpenOption.WRITE,
                            StandardOpenOption.CREATE,
                            LinkOption.NOFOLLOW_LINKS),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            try {
                if (!isLocked(channel)) {
                    throw Cause.BUSY
                            .advise("try again later")
                            .failure("another network test is using the log of objects");
                }
                NewFile.flushDirectory(directory);
                return new FileDevice(channel);
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
        } catch (IOException e) {
            throw TransferException.causeOfWriting(e).failure("cannot open the log " + file + ": " + e, e);
        }
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    @Override
    public long lengthBytes() throws IOException {
        return channel.size();
    }

    @Override
    public void read(ByteBuffer into, long offset) throws IOException {
        FrameReader.readFully(channel, into, offset);
    }

    @Override
    public void write(ByteBuffer bytes, long offset) throws IOException {
        long at = offset;
        while (bytes.hasRemaining()) {
            at += channel.write(bytes, at);
        }
    }

    @Override
    public void truncate(long lengthBytes) throws IOException {
        channel.truncate(lengthBytes);
    }

    @Override
    public void flush() throws IOException {
        channel.force(false);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
